/** @module A traffic report as text. Pure. */
import { type TrafficReport, trafficUnit, type WebVitals } from "../../contract/traffic.ts";
import { formatBytes, printable } from "../terminal/format.ts";
import { formatFacts } from "../terminal/table.ts";
import { plotBars } from "./plot.ts";

const SPANS: Readonly<Record<TrafficReport["range"], string>> = {
  hour: "the last hour",
  day: "the last 24 hours",
  "90d": "the last 90 days",
};

/** Maximum number of values to show from each list. */
const SHOWN = 10;

const number = (value: number): string => value.toLocaleString("en-US");

type Table = (headings: readonly string[], rows: readonly (readonly string[])[]) => string;

function totalsOf({ totals, steps }: TrafficReport): string {
  return formatFacts([
    ["requests", `${number(totals.requests)}  ${plotBars(steps.map((step) => step.requests))}`],
    ["visitors", `${number(totals.visitors)}  ${plotBars(steps.map((step) => step.visitors))}`],
    ["page views", number(totals.pageViews)],
    ["bots", `${number(totals.bots)} requests`],
    ["data", formatBytes(totals.bytes)],
    ["failures", number(totals.failures)],
  ]);
}

/** Formats the p75 of each vital, in the order of `VITAL_HEADINGS`. */
function vitalsOf({ lcp, inp, cls, fcp, ttfb }: WebVitals): string[] {
  const ms = (vital: WebVitals["lcp"]) => vital === undefined ? "-" : `${vital.p75} ms`;
  return [ms(lcp), ms(inp), cls === undefined ? "-" : String(cls.p75), ms(fcp), ms(ttfb)];
}

const VITAL_HEADINGS = ["PAGE (P75)", "LCP", "INP", "CLS", "FCP", "TTFB"];

function vitalsTable({ vitals }: TrafficReport, table: Table): string[] {
  if (vitals === undefined) return [];
  const pages = vitals.pages.slice(0, SHOWN)
    .map(({ path, vitals }) => [printable(path), ...vitalsOf(vitals)]);
  return [table(VITAL_HEADINGS, [["all pages", ...vitalsOf(vitals.all)], ...pages])];
}

/** Formats the report on a project's environment. `table` lays out its lists. */
export function formatTraffic(
  report: TrafficReport,
  { project, table }: { readonly project: string; readonly table: Table },
): string {
  const { range, environment, totals, times, statuses } = report;
  const span = `${SPANS[range]}, by ${trafficUnit(report.stepSeconds)}`;
  const heading = `${printable(project)}, ${printable(environment)}: ${span}`;
  if (totals.requests === 0 && report.vitals === undefined) return `${heading}\nNo requests`;
  const lists = ([
    [["PAGE", "VIEWS"], report.pages],
    [["REFERRER", "VIEWS"], report.referrers],
    [["COUNTRY", "REQUESTS"], report.countries],
    [["DEVICE", "REQUESTS"], report.devices],
  ] as const).map(([headings, items]) =>
    table(
      headings,
      items.slice(0, SHOWN).map(({ value, count }) => [printable(value), number(count)]),
    )
  );
  return [
    heading,
    totalsOf(report),
    ...lists,
    table(
      ["STATUS", "RESPONSES"],
      statuses.map(({ status, count }) => [String(status), number(count)]),
    ),
    table(
      ["SERVED BY", "REQUESTS", "P50", "P95", "P99"],
      times.map(({ layer, count, p50, p95, p99 }) => [
        layer,
        number(count),
        ...[p50, p95, p99].map((ms) => `${ms} ms`),
      ]),
    ),
    ...vitalsTable(report, table),
  ].filter((part) => part !== "").join("\n\n");
}
