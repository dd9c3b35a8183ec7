/**
 * Which log entries a reader wants.
 *
 * @module
 */
import { LOG_LEVELS, type LogEntry } from "../../contract/logs.ts";

type Level = (typeof LOG_LEVELS)[number];

export interface LogFilter {
  readonly deploymentId?: string | undefined;
  readonly search?: string | undefined;
  /** The lowest level. */
  readonly level?: Level | undefined;
  /** ISO 8601 in UTC. */
  readonly since?: string | undefined;
}

/** Makes the test of a filter; the search is plain text, ignoring case. */
export function logMatcher(filter: LogFilter): (entry: LogEntry) => boolean {
  const search = filter.search?.toLowerCase();
  const since = filter.since === undefined ? undefined : Date.parse(filter.since);
  const least = filter.level === undefined ? 0 : LOG_LEVELS.indexOf(filter.level);
  return (entry) => {
    if (filter.deploymentId !== undefined && entry.deploymentId !== filter.deploymentId) {
      return false;
    }
    if (since !== undefined && Date.parse(entry.time) < since) return false;
    if (least > 0 && LOG_LEVELS.indexOf(levelOf(entry)) < least) return false;
    if (search === undefined) return true;
    return searchable(entry).join(" ").toLowerCase().includes(search);
  };
}

/** The level of an entry; that of a request follows from its status. */
function levelOf(entry: LogEntry): Level {
  if (entry.type !== "request") return entry.level;
  if (entry.status >= 500) return "error";
  return entry.status >= 400 ? "warn" : "info";
}

/** The fields of an entry that a search looks through. */
function searchable(entry: LogEntry): unknown[] {
  if (entry.type === "function") {
    return [entry.function, entry.level, entry.requestId, entry.message, entry.stack];
  }
  if (entry.type === "server") {
    return [entry.layer, entry.level, entry.requestId, entry.message];
  }
  const { method, host, path, status, userAgent, ip, requestId, error, rules } = entry;
  const hits = rules?.map((rule) => `${rule.ruleId} ${rule.outcome}`) ?? [];
  return [method, host, path, status, userAgent, ip, requestId, error, ...hits];
}
