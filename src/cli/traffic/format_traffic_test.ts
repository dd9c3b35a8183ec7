import assert from "node:assert/strict";
import type { TrafficReport } from "../../contract/traffic.ts";
import { createPalette } from "../terminal/color.ts";
import { createUi } from "../terminal/ui.ts";
import { formatTraffic } from "./format_traffic.ts";

const GOLDENS = new URL("../../../fixtures/cli/traffic/", import.meta.url);
const isUpdate = Deno.env.get("UPDATE_GOLDENS") === "1";

const steps = Array.from({ length: 24 }, (_, hour) => ({
  time: `2026-11-22T${String(hour).padStart(2, "0")}:00:00.000Z`,
  requests: hour * 12,
  visitors: hour,
  pageViews: hour * 4,
  bots: 1,
  bytes: 9000,
  failures: 0,
}));
const vital = (p75: number) => ({ p75, count: 12 });

const FULL: TrafficReport = {
  range: "day",
  environment: "production",
  steps,
  stepSeconds: 3600,
  from: steps[0]!.time,
  to: "2026-11-23T00:00:00.000Z",
  totals: {
    requests: 3312,
    visitors: 276,
    pageViews: 1104,
    bots: 24,
    bytes: 216_000,
    failures: 3,
  },
  pages: [{ value: "/", count: 800 }, { value: "/tides\u001b[31m", count: 304 }],
  referrers: [{ value: "news.example", count: 41 }],
  countries: [{ value: "DE", count: 2000 }, { value: "GB", count: 1288 }],
  devices: [{ value: "mobile", count: 2288 }, { value: "desktop", count: 1000 }],
  statuses: [{ status: 200, count: 3300 }, { status: 404, count: 9 }, { status: 503, count: 3 }],
  times: [
    { layer: "static", count: 3000, failures: 0, p50: 0.3, p95: 1.2, p99: 4.1 },
    { layer: "function", count: 312, failures: 3, p50: 8, p95: 21, p99: 60 },
  ],
  vitals: {
    all: { lcp: vital(1840), inp: vital(96), cls: vital(0.02), fcp: vital(900), ttfb: vital(80) },
    pages: [
      { path: "/", vitals: { lcp: vital(1840), cls: vital(0) } },
      { path: "/tides", vitals: { inp: vital(640), ttfb: vital(120) } },
    ],
  },
};
const EMPTY: TrafficReport = {
  ...FULL,
  totals: { requests: 0, visitors: 0, pageViews: 0, bots: 0, bytes: 0, failures: 0 },
  pages: [],
  referrers: [],
  countries: [],
  devices: [],
  statuses: [],
  times: [],
  vitals: undefined,
};

/** Lays out tables for a terminal with the given number of columns, or for a file. */
function tableFor(width: number | undefined) {
  const writer = {
    isTerminal: width !== undefined,
    write: () => {},
    ...(width === undefined ? {} : { columns: () => width }),
  };
  const colors = createPalette(false);
  const [stdout, stderr] = [writer, writer];
  return createUi({ json: false, stdout, stderr, colors, dataColors: colors, now: () => 0 }).table;
}

const REPORTS: readonly (readonly [string, TrafficReport, number | undefined])[] = [
  ["full", FULL, undefined],
  ["without_vitals", { ...FULL, range: "90d", stepSeconds: 86_400, vitals: undefined }, undefined],
  ["narrow", FULL, 40],
  ["empty", EMPTY, undefined],
];

for (const [name, report, width] of REPORTS) {
  Deno.test(`formatTraffic() prints the report "${name}" like its golden file`, async () => {
    const text = formatTraffic(report, {
      project: "harbour-shop",
      table: tableFor(width),
    });
    assert.ok(!text.includes("\u001b"), "control characters are made visible");
    const file = new URL(`${name}.txt`, GOLDENS);
    if (isUpdate) {
      await Deno.mkdir(GOLDENS, { recursive: true });
      await Deno.writeTextFile(file, `${text}\n`);
    }
    assert.equal(`${text}\n`, await Deno.readTextFile(file));
  });
}
