/**
 * Logs of deployments: requests, and what functions and servers wrote.
 *
 * @module
 */
import * as z from "zod";
import { MISSING_NODE_EVENT, missingNodes, pageLimit, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { projectParams } from "./projects.ts";

export const LOG_LIMIT_DEFAULT = 50;
export const LOG_LIMIT_MAX = 1000;

/** A rule that left a trace on a request: a log, a deny or a shadow hit. */
export const ruleHit = z.object({
  ruleId: z.string().meta({ description: "Id of the rule", example: "no-admin" }),
  action: z.string().meta({ description: "Action of the rule", example: "deny" }),
  outcome: z.enum(["logged", "denied", "limited", "shadowed"]).meta({
    description: "Outcome of the rule",
    example: "denied",
  }),
});
export type RuleHit = z.infer<typeof ruleHit>;

/** A request that a deployment answered. */
export const requestLogEntry = z.object({
  type: z.literal("request").meta({ description: "Type of the entry", example: "request" }),
  time: timestamp.describe("Time of the entry"),
  deploymentId: uuid.describe("Id of the deployment"),
  requestId: z.string().meta({
    description: "Id of the request in the platform's log",
    example: "5f2c9a7b1e-4q",
  }),
  method: z.string().meta({ description: "HTTP method", example: "GET" }),
  host: z.string().meta({ description: "Host of the request", example: "shop.example.net" }),
  path: z.string().meta({ description: "Path of the request, without query", example: "/menu" }),
  status: z.int().meta({ description: "HTTP status of the response", example: 200 }),
  bytes: z.int().nullable().describe(
    "Length of the answer's body in bytes; `null` for one that was streamed without it",
  ),
  durationMs: z.number().describe("Time to the answer's head in milliseconds"),
  ip: z.string().meta({ description: "IP address of the client", example: "203.0.113.7" }),
  userAgent: z.string().nullable().meta({
    description: "`User-Agent` of the request; null if there was none",
    example: "curl/8.5.0",
  }),
  error: z.string().optional().describe(
    "Why something behind the edge (a function, another site) could not answer",
  ),
  rules: z.array(ruleHit).optional().describe("Rules that matched, in their order"),
}).meta({ id: "RequestLogEntry" });
export type RequestLogEntry = z.infer<typeof requestLogEntry>;

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** A console line of a function, or its failure. */
export const functionLogEntry = z.object({
  type: z.literal("function").meta({ description: "Type of the entry", example: "function" }),
  time: timestamp.describe("Time of the entry"),
  deploymentId: uuid.describe("Id of the deployment"),
  requestId: z.string().nullable().describe(
    "The request that it was running for, where one is known",
  ),
  function: z.string().meta({ description: "Name of the function", example: "hello" }),
  level: z.enum(LOG_LEVELS).meta({ description: "Level of the line", example: "info" }),
  message: z.string().meta({ description: "Text of the line", example: "Add the summer menu" }),
  stack: z.string().nullable().describe("In files and lines of the author's source"),
}).meta({ id: "FunctionLogEntry" });

/** A line or lifecycle event of a COMPUTE layer's server: starts, timeouts, crashes. */
export const serverLogEntry = z.object({
  type: z.literal("server").meta({ description: "Type of the entry", example: "server" }),
  time: timestamp.describe("Time of the entry"),
  deploymentId: uuid.describe("Id of the deployment"),
  requestId: z.string().nullable().describe(
    "The request that caused it; null where none, or more than one, can have",
  ),
  layer: z.string().meta({ description: "Name of the layer", example: "server" }),
  level: z.enum(LOG_LEVELS).meta({ description: "Level of the line", example: "info" }),
  message: z.string().meta({ description: "Text of the line", example: "Add the summer menu" }),
}).meta({ id: "ServerLogEntry" });

export const logEntry = z.discriminatedUnion("type", [
  requestLogEntry,
  functionLogEntry,
  serverLogEntry,
]).meta({
  id: "LogEntry",
});
export type LogEntry = z.infer<typeof logEntry>;

const logFilter = z.object({
  deploymentId: uuid.optional().describe("Only entries of this deployment"),
  search: z.string().max(200).optional().describe(
    "Only entries that contain it: in their address, status, request id, message or any other text",
  ),
  level: z.enum(LOG_LEVELS).optional().describe(
    "Only entries of this level and above; requests are warn with a 4xx, error with a 5xx, else info",
  ),
  since: timestamp.optional().describe("Only entries at or after this moment"),
});

export const logPage = z.object({
  items: z.array(logEntry).describe("Oldest first"),
  nextCursor: z.string().nullable().describe(
    "For the entries before these; null when there are none",
  ),
  missingNodes,
});

export const listLogs = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/logs",
  summary: "Show the latest log entries of a project or one deployment",
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
  summary: "Follow new log entries as Server-Sent Events, one LogEntry each; an event " +
    `\`${MISSING_NODE_EVENT}\` names a node of the platform that does not answer`,
  tag: "Logs",
  params: projectParams,
  query: logFilter.omit({ since: true }),
  response: logEntry,
  responseKind: "events",
});
