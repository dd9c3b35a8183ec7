/** Selects the log entries for a reader. @module */
import * as z from "zod";
import { LOG_LEVELS, type LogEntry } from "../../contract/logs.ts";

type Level = (typeof LOG_LEVELS)[number];

/** A filter's fields without the time range. Nodes also send these fields to each other. */
export const entryFilterFields = {
  deploymentId: z.string().optional(),
  /** Only entries from these deployments. */
  deployments: z.array(z.string()).optional(),
  search: z.string().optional(),
  /** The lowest level. */
  level: z.enum(LOG_LEVELS).optional(),
  requestId: z.string().optional(),
  /** `404` or `5xx`. */
  status: z.string().optional(),
  method: z.string().optional(),
  host: z.string().optional(),
  /** A path without a query. A path that ends with `*` is a prefix. */
  path: z.string().optional(),
  minDurationMs: z.number().optional(),
};

/** The same as {@link entryFilterFields}, but with a time range (in ISO 8601 and UTC). */
export const logFilterFields = {
  ...entryFilterFields,
  since: z.string().optional(),
  /** The end of the range, which is not included. */
  until: z.string().optional(),
};

const entryFilter = z.object(entryFilterFields);
const logFilter = z.object(logFilterFields);
export type EntryFilter = z.infer<typeof entryFilter>;
export type LogFilter = z.infer<typeof logFilter>;

type Test = (entry: LogEntry) => boolean;
type RequestTest = (entry: Extract<LogEntry, { type: "request" }>) => boolean;

/** Returns a request's path without its query. */
export const pathOf = (path: string): string => path.split("?", 1)[0]!;

function requestTests({ status, method, host, path, minDurationMs }: EntryFilter): RequestTest[] {
  const tests: RequestTest[] = [];
  if (status !== undefined) {
    tests.push((entry) =>
      status.endsWith("xx")
        ? Math.floor(entry.status / 100) === Number(status[0])
        : entry.status === Number(status)
    );
  }
  if (method !== undefined) {
    const wanted = method.toUpperCase();
    tests.push((entry) => entry.method === wanted);
  }
  if (host !== undefined) {
    const wanted = host.toLowerCase();
    tests.push((entry) => entry.host === wanted);
  }
  if (path?.endsWith("*")) {
    const prefix = path.slice(0, -1);
    tests.push((entry) => pathOf(entry.path).startsWith(prefix));
  } else if (path !== undefined) tests.push((entry) => pathOf(entry.path) === path);
  if (minDurationMs !== undefined) tests.push((entry) => entry.durationMs >= minDurationMs);
  return tests;
}

/**
 * Creates a function that tests entries against a filter. The search is plain text and ignores
 * case.
 */
export function logMatcher(filter: LogFilter): Test {
  const { deploymentId, deployments, requestId, level } = filter;
  const search = filter.search?.toLowerCase();
  const since = filter.since && new Date(filter.since).toISOString();
  const until = filter.until && new Date(filter.until).toISOString();
  const least = level === undefined ? 0 : LOG_LEVELS.indexOf(level);
  const allowed = deployments === undefined ? undefined : new Set(deployments);
  const ofRequests = requestTests(filter);
  return (entry) => {
    if (deploymentId !== undefined && entry.deploymentId !== deploymentId) return false;
    if (allowed !== undefined && !allowed.has(entry.deploymentId)) return false;
    if (requestId !== undefined && entry.requestId !== requestId) return false;
    if (since !== undefined && entry.time < since) return false;
    if (until !== undefined && entry.time >= until) return false;
    if (least > 0 && LOG_LEVELS.indexOf(levelOf(entry)) < least) return false;
    if (ofRequests.length > 0) {
      if (entry.type !== "request" || !ofRequests.every((test) => test(entry))) return false;
    }
    if (search === undefined) return true;
    return searchable(entry).join(" ").toLowerCase().includes(search);
  };
}

/** Matches words made up of characters that JSON does not escape. */
const PLAIN_WORD = /^[!#-[\]-~]+$/;

/**
 * Returns a fast test for the JSON of entries. The test accepts all entries that match a search,
 * and some others. Returns `undefined` if there is no such test for the text.
 */
export function searchTest(search: string | undefined): ((json: string) => boolean) | undefined {
  // The text can span several fields, but each word is within one of them.
  const words = search?.toLowerCase().split(" ").filter((word) => PLAIN_WORD.test(word)) ?? [];
  if (words.length === 0) return undefined;
  return (json) => {
    const text = json.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

/** Returns an entry's level. For a request, the status determines the level. */
export function levelOf(entry: LogEntry): Level {
  if (entry.type !== "request") return entry.level;
  if (entry.status >= 500) return "error";
  return entry.status >= 400 ? "warn" : "info";
}

/** Returns the fields of an entry that are searched. */
function searchable(entry: LogEntry): unknown[] {
  if (entry.type === "function") {
    return [entry.function, entry.level, entry.requestId, entry.message, entry.stack];
  }
  if (entry.type === "server") {
    return [entry.layer, entry.level, entry.requestId, entry.message];
  }
  const { method, host, path, status, userAgent, ip, requestId, error, edge, rules } = entry;
  const hits = rules?.map((rule) => `${rule.ruleId} ${rule.outcome}`) ?? [];
  return [method, host, path, status, userAgent, ip, requestId, error, edge, ...hits];
}
