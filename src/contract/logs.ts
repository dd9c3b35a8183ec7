/**
 * Access logs of deployments.
 *
 * @module
 */
import { z } from "zod";
import { timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { projectParams } from "./projects.ts";

export const LOG_LIMIT_DEFAULT = 50;
export const LOG_LIMIT_MAX = 1000;

/** A rule that left a trace on a request: a log, a deny or a shadow hit. */
export const ruleHit = z.object({
  ruleId: z.string(),
  action: z.string(),
  outcome: z.enum(["logged", "denied", "limited", "shadowed"]),
});
export type RuleHit = z.infer<typeof ruleHit>;

/** A request that a deployment answered. */
export const requestLogEntry = z.object({
  type: z.literal("request"),
  time: timestamp,
  deploymentId: uuid,
  requestId: z.string(),
  method: z.string(),
  host: z.string(),
  path: z.string(),
  status: z.int(),
  /** Length of the answer's body in bytes. */
  bytes: z.int(),
  /** Time to the answer's head in milliseconds. */
  durationMs: z.number(),
  ip: z.string(),
  userAgent: z.string().nullable(),
  /** Why something behind the edge (a function, another site) could not answer. */
  error: z.string().optional(),
  rules: z.array(ruleHit).optional(),
}).meta({ id: "RequestLogEntry" });
export type RequestLogEntry = z.infer<typeof requestLogEntry>;

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** What a function wrote to its console, or how it failed. */
export const functionLogEntry = z.object({
  type: z.literal("function"),
  time: timestamp,
  deploymentId: uuid,
  /** The request that it was running for, where one is known. */
  requestId: z.string().nullable(),
  function: z.string(),
  level: z.enum(LOG_LEVELS),
  message: z.string(),
  /** In files and lines of the author's source. */
  stack: z.string().nullable(),
}).meta({ id: "FunctionLogEntry" });

export const logEntry = z.discriminatedUnion("type", [requestLogEntry, functionLogEntry]).meta({
  id: "LogEntry",
});
export type LogEntry = z.infer<typeof logEntry>;

const logFilter = z.object({
  deploymentId: uuid.optional(),
  /** Only entries whose method, host, path, status, user agent, address or request id contain it. */
  search: z.string().max(200).optional(),
  /** Only entries at or after this moment. */
  since: timestamp.optional(),
});

export const logPage = z.object({
  /** Oldest first. */
  items: z.array(logEntry),
  /** For the entries before these; null when there are none. */
  nextCursor: z.string().nullable(),
});

export const listLogs = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/logs",
  summary: "Show the latest access log entries of a project or one deployment",
  tag: "Logs",
  params: projectParams,
  query: logFilter.extend({
    limit: z.coerce.number("Must be a whole number").int().min(1).max(LOG_LIMIT_MAX)
      .default(LOG_LIMIT_DEFAULT),
    cursor: z.string().max(512).optional(),
  }),
  response: logPage,
});

export const followLogs = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/logs/stream",
  summary: "Follow new access log entries as Server-Sent Events, one LogEntry each",
  tag: "Logs",
  params: projectParams,
  query: logFilter.omit({ since: true }),
  response: logEntry,
  responseKind: "events",
});
