/** @module Reads from the URL which part of a log to show. */
import type { listLogs } from "../../contract/logs.ts";
import type { QueryInputOf } from "../../contract/endpoint.ts";

type LogQuery = QueryInputOf<typeof listLogs>;

/** The filters, by name in URLs. Each has its name in the API and its label on the page. */
export const LOG_FILTERS = {
  search: { field: "search", word: "Search" },
  level: { field: "level", word: "Level" },
  status: { field: "status", word: "Status" },
  method: { field: "method", word: "Method" },
  host: { field: "host", word: "Host" },
  path: { field: "path", word: "Path" },
  environment: { field: "environment", word: "Environment" },
  deployment: { field: "deploymentId", word: "Deployment" },
  request: { field: "requestId", word: "Request ID" },
  slower: { field: "minDurationMs", word: "Slower than (ms)" },
} as const;
export type LogFilterName = keyof typeof LOG_FILTERS;
export const LOG_FILTER_NAMES = Object.keys(LOG_FILTERS) as LogFilterName[];

const MINUTE = 60_000;
export const LOG_RANGES = {
  "15m": { word: "15 min", length: 15 * MINUTE },
  "1h": { word: "1 h", length: 60 * MINUTE },
  "6h": { word: "6 h", length: 360 * MINUTE },
  "24h": { word: "24 h", length: 1440 * MINUTE },
  "7d": { word: "7 d", length: 10_080 * MINUTE },
} as const;
type LogRange = keyof typeof LOG_RANGES;

/** Maximum length of a filter's value. */
const MAX_VALUE = 500;

export interface LogSelection {
  readonly filters: Readonly<Partial<Record<LogFilterName, string>>>;
  /** The period up to now; `undefined` for any time, or if `since` or `until` sets the period. */
  readonly range: LogRange | undefined;
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly cursor: string | null;
}

/** Parses a time in a URL. Returns `undefined` if the time is invalid or missing. */
function momentIn(query: URLSearchParams, name: string): string | undefined {
  const time = Date.parse(query.get(name) ?? "");
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

export function logSelectionIn(query: URLSearchParams): LogSelection {
  const given = LOG_FILTER_NAMES.flatMap((name) => {
    const value = query.get(name)?.trim().slice(0, MAX_VALUE) ?? "";
    return value === "" ? [] : [[name, name === "status" ? value.toLowerCase() : value] as const];
  });
  const range = query.get("range") ?? "";
  const [since, until] = [momentIn(query, "since"), momentIn(query, "until")];
  const isKnown = since === undefined && until === undefined && Object.hasOwn(LOG_RANGES, range);
  return {
    filters: Object.fromEntries(given),
    range: isKnown ? range as LogRange : undefined,
    since,
    until,
    cursor: query.get("cursor"),
  };
}

/**
 * Returns the URL parameters for the same part of the log, with changes. `undefined` removes a
 * parameter.
 */
export function logQuery(
  { filters, range, since, until }: Omit<LogSelection, "cursor">,
  changes: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const all = { ...filters, range, since, until, ...changes };
  return Object.fromEntries(
    Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

/** Converts the filters and the period to the API's query. */
export function filterOf({ filters, range, since, until }: LogSelection, now: number): LogQuery {
  const from = range === undefined ? since : new Date(now - LOG_RANGES[range].length).toISOString();
  return {
    ...entryFilterOf(filters),
    ...(from === undefined ? {} : { since: from }),
    ...(until === undefined ? {} : { until }),
  };
}

/** Renames the filters for the API, which validates their values. */
export const entryFilterOf = (filters: LogSelection["filters"]): LogQuery =>
  Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      LOG_FILTERS[name as LogFilterName].field,
      value,
    ]),
  ) as LogQuery;
