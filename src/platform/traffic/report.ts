/** The report for a range, based on the counts for its periods. Pure. @module */
import type { LayerTimes, TrafficRange, TrafficReport, WebVitals } from "../../contract/traffic.ts";
import { LAYERS, TrafficCounts, type VitalQuantiles, VITALS } from "../../traffic/mod.ts";
import { PERIODS, type Steps } from "./periods.ts";
import type { FoundCounts } from "./traffic_store.ts";

/** Maximum number of values in each list. */
const LISTED = 20;
/** Maximum number of countries, which is higher because a map can show many. */
const COUNTRIES = 60;

const isoTime = (time: number): string => new Date(time).toISOString();

function sumsOf(counts: TrafficCounts) {
  const { requests, pageViews, bots, bytes } = counts;
  const visitors = counts.visitors.count();
  return { requests, visitors, pageViews, bots, bytes, failures: counts.failures() };
}

/** Returns a duration in milliseconds, with three significant digits. */
const rounded = (ms: number | null): number => Number((ms ?? 0).toPrecision(3));

function timesOf(counts: TrafficCounts): LayerTimes[] {
  const times = counts.times();
  return LAYERS.flatMap((layer) => {
    const found = times.get(layer);
    if (found === undefined) return [];
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((q) => rounded(found.quantile(q)));
    const failures = counts.failuresOf(layer);
    return [{ layer, count: found.count, failures, p50: p50!, p95: p95!, p99: p99! }];
  });
}

/** Returns Web Vitals for reports, with three significant digits. CLS is stored in thousandths. */
const vitalsOf = (found: VitalQuantiles): WebVitals =>
  Object.fromEntries(VITALS.flatMap((name) => {
    const vital = found[name];
    if (vital === undefined) return [];
    const { count, p75 } = vital;
    return [[name, { count, p75: rounded(name === "cls" ? p75 / 1000 : p75) }]];
  }));

function webVitalsOf(counts: TrafficCounts): Pick<TrafficReport, "vitals"> {
  const vitals = counts.vitals();
  if (vitals === undefined) return {};
  const pages = vitals.pages(LISTED)
    .map(({ path, vitals }) => ({ path, vitals: vitalsOf(vitals) }));
  return { vitals: { all: vitalsOf(vitals.quantiles()), pages } };
}

/** Merges the counts that were found, by period and in total. */
export async function reportTraffic(
  found: AsyncIterable<FoundCounts>,
  { range, environment, steps: { unit, starts } }: {
    readonly range: TrafficRange;
    readonly environment: string;
    readonly steps: Steps;
  },
): Promise<TrafficReport> {
  const steps = new Map(starts.map((start) => [start, new TrafficCounts()]));
  const all = new TrafficCounts();
  for await (const { start, counts } of found) {
    const step = steps.get(start);
    if (step === undefined) continue;
    step.merge(counts);
    all.merge(counts);
  }
  const { lists } = all;
  const stepMs = PERIODS[unit].ms;
  return {
    range,
    environment,
    from: isoTime(starts[0]!),
    to: isoTime(starts.at(-1)! + stepMs),
    stepSeconds: stepMs / 1000,
    totals: sumsOf(all),
    steps: [...steps].map(([start, counts]) => ({ time: isoTime(start), ...sumsOf(counts) })),
    pages: lists.pages.top(LISTED),
    referrers: lists.referrers.top(LISTED),
    countries: lists.countries.top(COUNTRIES),
    devices: lists.devices.top(LISTED),
    statuses: all.statuses().map(([status, count]) => ({ status, count })),
    times: timesOf(all),
    ...webVitalsOf(all),
  };
}
