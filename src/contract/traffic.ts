/** The traffic of a project, as counted by the edge. @module */
import * as z from "zod";
import { missingNodes, timestamp } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { environmentReference } from "./environments.ts";
import { projectParams } from "./projects.ts";

/**
 * The last hour by minute, the last day by hour, and the last 90 days by day. For a new project,
 * the last two ranges are divided into smaller units.
 */
export const TRAFFIC_RANGES = ["hour", "day", "90d"] as const;
export type TrafficRange = typeof TRAFFIC_RANGES[number];

/** Returns the word for the length of a report's steps. */
export const trafficUnit = (stepSeconds: number): string =>
  stepSeconds >= 86_400 ? "day" : stepSeconds >= 3600 ? "hour" : "minute";

const TRAFFIC_LAYERS = [
  "static",
  "cache",
  "function",
  "server",
  "proxy",
  "rules",
] as const;

const count = z.int().nonnegative().describe("Count").meta({ example: 42 });

const sums = {
  requests: count.describe("All requests"),
  visitors: count.describe(
    "Visitors, estimated to within 2%: different combinations of IP address and browser per UTC day. Ranges of several days add up the daily counts",
  ),
  pageViews: count.describe("Page views by people"),
  bots: count.describe("Requests from crawlers, monitors and programs"),
  bytes: count.describe("Body bytes, if the length was known in advance"),
  failures: count.describe("Responses with status 500 or above"),
};

const trafficStep = z.object({ time: timestamp.describe("Start of the step"), ...sums })
  .meta({
    id: "TrafficStep",
  });
export type TrafficStep = z.infer<typeof trafficStep>;

const counted = z.object({ value: z.string().describe("Counted value"), count }).meta({
  id: "CountedValue",
});
export type CountedValue = z.infer<typeof counted>;

const quantile = (share: string) =>
  z.number().nonnegative().describe(`Time that ${share} of the responses did not exceed`).meta({
    example: 1.25,
  });

const layerTimes = z.object({
  layer: z.enum(TRAFFIC_LAYERS).describe(
    "Layer that served the response: files, the cache, a function, a server, another site, or the rules",
  ),
  count,
  failures: count.default(0).describe("Responses with status 500 or above"),
  p50: quantile("50%"),
  p95: quantile("95%"),
  p99: quantile("99%"),
}).meta({ id: "LayerTimes" });
export type LayerTimes = z.infer<typeof layerTimes>;

const vital = z.object({
  count: count.describe("Number of measured views"),
  p75: z.number().nonnegative().describe(
    "75th percentile, accurate to 5%: milliseconds, or the score for CLS",
  ).meta({ example: 1240 }),
}).meta({ id: "VitalQuantile" });

const webVitals = z.object({
  lcp: vital.optional().describe(
    "Largest Contentful Paint: time until the largest element was shown",
  ),
  inp: vital.optional().describe("Interaction to Next Paint: time until the page reacted"),
  cls: vital.optional().describe("Cumulative Layout Shift: how much of the page moved"),
  fcp: vital.optional().describe("First Contentful Paint: time until something was shown"),
  ttfb: vital.optional().describe("Time to First Byte"),
}).meta({ id: "WebVitals" });
export type WebVitals = z.infer<typeof webVitals>;

const vitalsReport = z.object({
  all: webVitals.describe("Web vitals of all pages"),
  pages: z.array(
    z.object({
      path: z.string().describe("Path of the page"),
      vitals: webVitals.describe("Web vitals of the page"),
    }),
  ).describe("Web vitals of the pages with the most measured views"),
}).meta({ id: "WebVitalsReport" });

const trafficReport = z.object({
  range: z.enum(TRAFFIC_RANGES).describe("Requested range"),
  environment: z.string().describe("Name of the environment"),
  from: timestamp.describe("Start of the first step"),
  to: timestamp.describe("End of the last step, which is still open"),
  stepSeconds: z.int().positive().describe("Length of a step").meta({ example: 3600 }),
  totals: z.object(sums).describe("Totals of the range"),
  steps: z.array(trafficStep).describe("Steps of the range, oldest first"),
  pages: z.array(counted).describe("Pages by views, most viewed first"),
  referrers: z.array(counted).describe("Hosts of the sites that linked to this one"),
  countries: z.array(counted).describe(
    "Requests by country, without bots (ISO 3166-1 alpha-2); `unknown` if unknown",
  ),
  devices: z.array(counted).describe("Requests by device, without bots"),
  statuses: z.array(
    z.object({ status: z.int().describe("HTTP status").meta({ example: 200 }), count }),
  ).describe("Responses by status"),
  times: z.array(layerTimes).describe(
    "Time to response headers in milliseconds, accurate to 2%",
  ),
  vitals: vitalsReport.optional().describe(
    "Web vitals measured in visitors' browsers; omitted if there are none",
  ),
}).meta({ id: "TrafficReport" });
export type TrafficReport = z.infer<typeof trafficReport>;

export const getTraffic = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/traffic",
  summary: "Show the traffic of a project's environment",
  tag: "Traffic",
  params: projectParams,
  query: z.object({
    range: z.enum(TRAFFIC_RANGES).default("day").describe(
      "The last hour by minute, the last day by hour, or the last 90 days by day. Steps are shorter while the project is younger than 2 hours (minutes) or 2 days (hours), and start at its creation; see `stepSeconds`",
    ),
    environment: environmentReference.default("production").describe(
      "Name or ID of the environment",
    ),
  }),
  response: trafficReport.extend({ missingNodes }),
});
