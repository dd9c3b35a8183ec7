/**
 * Which log entries a reader asked for.
 *
 * @module
 */
import type { LogEntry } from "../../contract/mod.ts";

export interface LogFilter {
  readonly deploymentId?: string | undefined;
  readonly search?: string | undefined;
  /** ISO 8601 in UTC. */
  readonly since?: string | undefined;
}

/** Makes the test of a filter; the search is a plain text, letter case ignored. */
export function logMatcher(filter: LogFilter): (entry: LogEntry) => boolean {
  const search = filter.search?.toLowerCase();
  const since = filter.since === undefined ? undefined : Date.parse(filter.since);
  return (entry) => {
    if (filter.deploymentId !== undefined && entry.deploymentId !== filter.deploymentId) {
      return false;
    }
    if (since !== undefined && Date.parse(entry.time) < since) return false;
    if (search === undefined) return true;
    return searchable(entry).join(" ").toLowerCase().includes(search);
  };
}

/** The parts of an entry that a search looks through. */
function searchable(entry: LogEntry): unknown[] {
  if (entry.type === "function") {
    return [entry.function, entry.level, entry.requestId, entry.message, entry.stack];
  }
  const { method, host, path, status, userAgent, ip, requestId, error, rules } = entry;
  const hits = rules?.map((rule) => `${rule.ruleId} ${rule.outcome}`) ?? [];
  return [method, host, path, status, userAgent, ip, requestId, error, ...hits];
}
