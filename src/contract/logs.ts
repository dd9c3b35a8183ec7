/** Logs of deployments: requests, and what functions and servers wrote. @module */
import * as z from "zod";
import { MISSING_NODE_EVENT, missingNodes, pageLimit, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { environmentReference } from "./environments.ts";
import { projectParams } from "./projects.ts";

export const LOG_LIMIT_DEFAULT = 50;
export const LOG_LIMIT_MAX = 1000;

/** A rule that was recorded for a request: a log, a deny or a shadow hit. */
export const ruleHit = z.object({
  ruleId: z.string().meta({ description: "ID of the rule", example: "no-admin" }),
  action: z.string().meta({ description: "Action of the rule", example: "deny" }),
  outcome: z.enum(["logged", "denied", "limited", "shadowed"]).meta({
    description: "Outcome of the rule",
    example: "denied",
  }),
});

/** A log entry for a request to a deployment. */
const requestLogEntry = z.object({
  type: z.literal("request").meta({ description: "Type of the entry", example: "request" }),
  time: timestamp.describe("Time of the entry"),
  deploymentId: uuid.describe("ID of the deployment"),
  requestId: z.string().meta({
    description: "ID of the request in the platform's log",
    example: "5f2c9a7b1e-4q",
  }),
  method: z.string().meta({ description: "HTTP method", example: "GET" }),
  host: z.string().meta({ description: "Host of the request", example: "shop.example.net" }),
  path: z.string().meta({ description: "Path of the request, without query", example: "/menu" }),
  status: z.int().meta({ description: "HTTP status of the response", example: 200 }),
  bytes: z.int().nullable().describe(
    "Length of the response body in bytes; `null` for a stream of unknown length",
  ),
  durationMs: z.number().describe("Time to the response headers in milliseconds"),
  ip: z.string().meta({ description: "IP address of the client", example: "203.0.113.7" }),
  userAgent: z.string().nullable().meta({
    description: "`User-Agent` of the request; null if there was none",
    example: "curl/8.5.0",
  }),
  traceparent: z.string().optional().meta({
    description: "`traceparent` of the request (W3C Trace Context); omitted if it had none",
    example: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  }),
  error: z.string().optional().describe(
    "Why something behind the edge, such as a function or another site, failed",
  ),
  edge: z.string().optional().meta({
    description: "Front edge that the request came through; omitted if there was none",
    example: "tokyo",
  }),
  rules: z.array(ruleHit).optional().describe("Rules that matched, in order"),
}).meta({ id: "RequestLogEntry" });
export type RequestLogEntry = z.infer<typeof requestLogEntry>;

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** A line that a function wrote to its console, or a failure of the function. */
const functionLogEntry = z.object({
  type: z.literal("function").meta({ description: "Type of the entry", example: "function" }),
  time: timestamp.describe("Time of the entry"),
  deploymentId: uuid.describe("ID of the deployment"),
  requestId: z.string().nullable().describe(
    "Request that caused it, if known",
  ),
  function: z.string().meta({ description: "Name of the function", example: "hello" }),
  level: z.enum(LOG_LEVELS).meta({ description: "Level of the line", example: "info" }),
  message: z.string().meta({ description: "Text of the line", example: "Order 1042 received" }),
  stack: z.string().nullable().describe("Stack, mapped to your source files"),
}).meta({ id: "FunctionLogEntry" });

/** A line or lifecycle event of a COMPUTE layer's server: starts, timeouts, crashes. */
const serverLogEntry = z.object({
  type: z.literal("server").meta({ description: "Type of the entry", example: "server" }),
  time: timestamp.describe("Time of the entry"),
  deploymentId: uuid.describe("ID of the deployment"),
  requestId: z.string().nullable().describe(
    "Request that caused it; null if unknown",
  ),
  layer: z.string().meta({ description: "Name of the layer", example: "server" }),
  level: z.enum(LOG_LEVELS).meta({ description: "Level of the line", example: "info" }),
  message: z.string().meta({ description: "Text of the line", example: "Listening on port 3000" }),
}).meta({ id: "ServerLogEntry" });

export const logEntry = z.discriminatedUnion("type", [
  requestLogEntry,
  functionLogEntry,
  serverLogEntry,
]).meta({
  id: "LogEntry",
});
export type LogEntry = z.infer<typeof logEntry>;

/** A status, or a class of statuses. */
const statusFilter = z.string().regex(
  /^[1-5](?:\d\d|xx)$/,
  "Must be a status such as 404, or a class such as 5xx",
);

/** Filters for log entries, without a time range. */
const entryFilter = z.object({
  deploymentId: uuid.optional().describe("Only entries from this deployment"),
  environment: environmentReference.optional().describe(
    "Only entries from the latest 200 deployments of this environment, given by name or ID",
  ),
  search: z.string().max(200).optional().describe(
    "Only entries that contain this text in the URL, status, request ID, message or any other field",
  ),
  level: z.enum(LOG_LEVELS).optional().describe(
    "Only entries at this level and above. Requests are logged as `warn` for a 4xx, `error` for a 5xx, and `info` otherwise",
  ),
  requestId: z.string().max(100).optional().describe(
    "Only this request and the output of functions and servers during it",
  ).meta({ example: "5f2c9a7b1e-4q" }),
  status: statusFilter.optional().describe(
    "Only requests with this status, such as `404`, or class, such as `5xx`",
  ).meta({ example: "5xx" }),
  method: z.string().max(20).optional().describe("Only requests with this method").meta({
    example: "GET",
  }),
  host: z.string().max(300).optional().describe("Only requests to this host").meta({
    example: "shop.example.net",
  }),
  path: z.string().max(500).optional().describe(
    "Only requests to this path, without query. `/api/*` finds all paths that begin with `/api/`",
  ).meta({ example: "/menu" }),
  minDurationMs: z.coerce.number().int().min(0).max(3_600_000).optional().describe(
    "Only requests that took at least this time, in milliseconds",
  ).meta({ example: 500 }),
});

const timeFilter = {
  since: timestamp.optional().describe("Only entries at or after this time"),
  until: timestamp.optional().describe("Only entries before this time"),
};

const logFilter = entryFilter.extend(timeFilter);

const logPage = z.object({
  items: z.array(logEntry).describe("Oldest first"),
  nextCursor: z.string().nullable().describe(
    "Cursor for older entries; null if there are none",
  ),
  missingNodes,
});

export const listLogs = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/logs",
  summary: "Show the latest log entries from a project or one deployment",
  tag: "Logs",
  params: projectParams,
  query: logFilter.extend({
    limit: pageLimit(LOG_LIMIT_MAX, LOG_LIMIT_DEFAULT).meta({
      description: "Maximum number of entries",
      example: 20,
    }),
    cursor: z.string().max(8192).optional().describe("`nextCursor` of the previous page"),
  }),
  response: logPage,
});

export const followLogs = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/logs/stream",
  summary: "Stream new log entries as Server-Sent Events, one LogEntry each. " +
    `An event \`${MISSING_NODE_EVENT}\` names a node whose entries are missing`,
  tag: "Logs",
  params: projectParams,
  query: entryFilter,
  response: logEntry,
  responseKind: "events",
});

export const LOG_FACETS = ["status", "method", "host", "path", "deployment"] as const;
export type LogFacet = (typeof LOG_FACETS)[number];

/** Maximum number of entries to count, starting with the latest. */
export const MAX_COUNTED = 20_000;

const entryCount = z.int().nonnegative().meta({ example: 42 });
const facetCounts = z.array(z.object({
  value: z.string().describe("Counted value"),
  count: entryCount.describe("Number of requests"),
}));

const logSummary = z.object({
  from: timestamp.describe("Start of the first step"),
  to: timestamp.describe("End of the last step"),
  stepSeconds: z.int().positive().describe("Length of a step").meta({ example: 60 }),
  steps: z.array(z.object({
    time: timestamp.describe("Start of the step"),
    entries: entryCount.describe("Number of entries"),
    warnings: entryCount.describe("Entries of level warn, including requests with a 4xx"),
    errors: entryCount.describe("Entries of level error, including requests with a 5xx"),
  })).describe("Steps, oldest first"),
  facets: z.object({
    status: facetCounts.describe("Statuses of requests"),
    method: facetCounts.describe("Methods of requests"),
    host: facetCounts.describe("Hosts of requests"),
    path: facetCounts.describe("Paths of requests, without query"),
    deployment: facetCounts.describe("IDs of deployments"),
  }).describe("The most frequent values, most frequent first"),
  entries: entryCount.describe("Number of entries that were counted"),
  isComplete: z.boolean().describe(
    `False if older entries were not counted: only the latest ${MAX_COUNTED} of each node are read`,
  ),
  missingNodes,
}).meta({ id: "LogSummary" });
export type LogSummary = z.infer<typeof logSummary>;

export const getLogSummary = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/logs/summary",
  summary: "Count the latest log entries over time, and their most frequent values",
  tag: "Logs",
  params: projectParams,
  query: logFilter,
  response: logSummary,
});
