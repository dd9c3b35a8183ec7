/**
 * The traffic of a project: what the edge counted of the requests to it.
 *
 * @module
 */
import * as z from "zod";
import { missingNodes, timestamp } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { environmentReference } from "./environments.ts";
import { projectParams } from "./projects.ts";

/** The last hour by minute, the last day by hour, the last 90 days by day. */
export const TRAFFIC_RANGES = ["hour", "day", "90d"] as const;
export type TrafficRange = typeof TRAFFIC_RANGES[number];

export const TRAFFIC_LAYERS = [
  "static",
  "cache",
  "function",
  "server",
  "proxy",
  "rules",
] as const;

const count = z.int().nonnegative().describe("How often").meta({ example: 42 });

const sums = {
  requests: count.describe("All requests that were answered"),
  visitors: count.describe(
    "People, estimated within 2 %: different addresses and browsers of a UTC day; those of several days are added up",
  ),
  pageViews: count.describe("Pages that people were shown"),
  bots: count.describe("Requests of crawlers, monitors and programs"),
  bytes: count.describe("Bytes of bodies whose length was known in advance"),
  failures: count.describe("Answers whose status is 500 or more"),
};

export const trafficStep = z.object({ time: timestamp.describe("Its start"), ...sums }).meta({
  id: "TrafficStep",
});
export type TrafficStep = z.infer<typeof trafficStep>;

const counted = z.object({ value: z.string().describe("What was counted"), count }).meta({
  id: "CountedValue",
});
export type CountedValue = z.infer<typeof counted>;

const quantile = (share: string) =>
  z.number().nonnegative().describe(`Time that ${share} of the answers did not exceed`).meta({
    example: 1.25,
  });

export const layerTimes = z.object({
  layer: z.enum(TRAFFIC_LAYERS).describe(
    "What answered: files, the cache, a function, a server, another site, or the rules themselves",
  ),
  count,
  failures: count.default(0).describe("Answers whose status is 500 or more"),
  p50: quantile("50 %"),
  p95: quantile("95 %"),
  p99: quantile("99 %"),
}).meta({ id: "LayerTimes" });
export type LayerTimes = z.infer<typeof layerTimes>;

const vital = z.object({
  count: count.describe("Views that it was measured of"),
  p75: z.number().nonnegative().describe(
    "What three of four views did not exceed, right within 5 %: milliseconds, of CLS its score",
  ).meta({ example: 1240 }),
}).meta({ id: "VitalQuantile" });

const webVitals = z.object({
  lcp: vital.optional().describe("Largest Contentful Paint: until the largest part was shown"),
  inp: vital.optional().describe("Interaction to Next Paint: until the page reacted"),
  cls: vital.optional().describe("Cumulative Layout Shift: how much of the page moved"),
  fcp: vital.optional().describe("First Contentful Paint: until something was shown"),
  ttfb: vital.optional().describe("Time to First Byte"),
}).meta({ id: "WebVitals" });
export type WebVitals = z.infer<typeof webVitals>;

const vitalsReport = z.object({
  all: webVitals.describe("Of all pages"),
  pages: z.array(
    z.object({
      path: z.string().describe("Path of the page"),
      vitals: webVitals.describe("Web vitals of the page"),
    }),
  ).describe("Of the pages with the most measured views"),
}).meta({ id: "WebVitalsReport" });

export const trafficReport = z.object({
  range: z.enum(TRAFFIC_RANGES).describe("What was asked for"),
  environment: z.string().describe("Name of the environment"),
  from: timestamp.describe("Start of the first step"),
  to: timestamp.describe("End of the last step, which is not over yet"),
  stepSeconds: z.int().positive().describe("Length of a step").meta({ example: 3600 }),
  totals: z.object(sums).describe("The sums of the whole range"),
  steps: z.array(trafficStep).describe("All steps of the range, the oldest first"),
  pages: z.array(counted).describe("Paths of pages with their views, the most viewed first"),
  referrers: z.array(counted).describe("Hosts of other sites that linked to viewed pages"),
  countries: z.array(counted).describe(
    "Requests of people by country, ISO 3166-1 alpha-2; `unknown` where none is known",
  ),
  devices: z.array(counted).describe("Requests of people by kind of device"),
  statuses: z.array(
    z.object({ status: z.int().describe("Status of the answers").meta({ example: 200 }), count }),
  ).describe("Answers by status"),
  times: z.array(layerTimes).describe(
    "Times until the head of an answer was ready, in milliseconds, right within 2 %",
  ),
  vitals: vitalsReport.optional().describe(
    "Web vitals that browsers of visitors measured; missing where none did",
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
      "The last hour by minute, the last day by hour, or the last 90 days by day",
    ),
    environment: environmentReference.default("production").describe(
      "Name or id of the environment",
    ),
  }),
  response: trafficReport.extend({ missingNodes }),
});
