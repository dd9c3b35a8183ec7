/** Counts a log's entries by minute and by value. Pure. @module */
import * as z from "zod";
import { LOG_FACETS, type LogEntry, type LogFacet, type LogSummary } from "../../contract/logs.ts";
import { levelOf, pathOf } from "./log_filter.ts";

const MINUTE = 60_000;

/** Length of an ISO 8601 time up to the minute. */
const MINUTE_LENGTH = "2026-11-28T20:15".length;

/** Maximum number of values per facet from one node, and in a summary. */
const [TOLD_VALUES, SHOWN_VALUES] = [100, 10];

const facetCounts = z.array(z.tuple([z.string(), z.number()]));

/** The counts from one node. */
export const logCounts = z.object({
  /**
   * The start of the minute in milliseconds, followed by the numbers of entries, warnings and
   * errors.
   */
  minutes: z.array(z.tuple([z.number(), z.number(), z.number(), z.number()])),
  facets: z.object({
    status: facetCounts,
    method: facetCounts,
    host: facetCounts,
    path: facetCounts,
    deployment: facetCounts,
  }),
  entries: z.number(),
  isComplete: z.boolean(),
});
export type LogCounts = z.infer<typeof logCounts>;

type Counts = Map<string, number>;

const countUp = (counts: Counts, value: string, count = 1): void =>
  void counts.set(value, (counts.get(value) ?? 0) + count);

type Counted = readonly [value: string, count: number];

const isMoreFrequent = (one: Counted, other: Counted): boolean =>
  one[1] > other[1] || one[1] === other[1] && one[0] < other[0];

/** Returns the most frequent values in order, without sorting all of them. */
function mostFrequent(counts: Counts, most: number): [string, number][] {
  const found: [string, number][] = [];
  for (const each of counts) {
    if (found.length === most && !isMoreFrequent(each, found.at(-1)!)) continue;
    const at = found.findIndex((other) => isMoreFrequent(each, other));
    found.splice(at < 0 ? found.length : at, 0, each);
    if (found.length > most) found.pop();
  }
  return found;
}

const newFacets = () =>
  Object.fromEntries(LOG_FACETS.map((name) => [name, new Map()])) as Record<LogFacet, Counts>;

export class LogCounter {
  /** Counts by the start of the minute, as in `2026-11-28T20:15`. */
  readonly #minutes = new Map<string, [entries: number, warnings: number, errors: number]>();
  readonly #facets = newFacets();
  #entries = 0;

  add(entry: LogEntry): void {
    this.#entries++;
    const start = entry.time.slice(0, MINUTE_LENGTH);
    const counts = this.#minutes.get(start) ?? [0, 0, 0];
    const level = levelOf(entry);
    counts[0]++;
    if (level === "warn") counts[1]++;
    if (level === "error") counts[2]++;
    this.#minutes.set(start, counts);
    countUp(this.#facets.deployment, entry.deploymentId);
    if (entry.type !== "request") return;
    countUp(this.#facets.status, String(entry.status));
    countUp(this.#facets.method, entry.method);
    countUp(this.#facets.host, entry.host);
    countUp(this.#facets.path, pathOf(entry.path));
  }

  counts(isComplete: boolean): LogCounts {
    const facets = Object.fromEntries(
      LOG_FACETS.map((name) => [name, mostFrequent(this.#facets[name], TOLD_VALUES)]),
    ) as LogCounts["facets"];
    return {
      minutes: [...this.#minutes].map(([start, counts]) => [Date.parse(`${start}Z`), ...counts]),
      facets,
      entries: this.#entries,
      isComplete,
    };
  }
}

/** Possible lengths of a step, in minutes. */
const STEPS = [1, 5, 15, 60, 180, 360, 1440, 10_080];
const MAX_STEPS = 60;

/**
 * Merges the counts from several nodes for a time range. The start and the end of the range are in
 * milliseconds.
 */
export function summarize(
  parts: readonly LogCounts[],
  { since, until, now }: {
    readonly since: number | undefined;
    readonly until: number | undefined;
    readonly now: number;
  },
): Omit<LogSummary, "missingNodes"> {
  const minutes = parts.flatMap((part) => part.minutes);
  const to = until ?? now;
  const oldest = minutes.reduce((least, [start]) => Math.min(least, start), to - MINUTE);
  // A range that spans decades starts at its oldest entry. Otherwise, the last step would end
  // before that entry.
  const isFar = since !== undefined && to - since > MAX_STEPS * STEPS.at(-1)! * MINUTE;
  const from = Math.min(isFar ? Math.max(since, oldest) : since ?? oldest, to - 1);
  const span = (to - from) / MINUTE;
  const step = (STEPS.find((length) => span / length <= MAX_STEPS) ?? STEPS.at(-1)!) * MINUTE;
  const first = from - from % step;
  const size = Math.min(Math.ceil((to - first) / step), MAX_STEPS * 10);
  const steps = Array.from({ length: size }, (_, index) => ({
    time: new Date(first + index * step).toISOString(),
    entries: 0,
    warnings: 0,
    errors: 0,
  }));
  for (const [start, entries, warnings, errors] of minutes) {
    const found = steps[Math.floor((start - first) / step)];
    if (found === undefined) continue;
    found.entries += entries;
    found.warnings += warnings;
    found.errors += errors;
  }
  const facets = newFacets();
  for (const name of LOG_FACETS) {
    for (const part of parts) {
      for (const [value, count] of part.facets[name]) countUp(facets[name], value, count);
    }
  }
  const shown = (name: LogFacet) =>
    mostFrequent(facets[name], SHOWN_VALUES).map(([value, count]) => ({ value, count }));
  return {
    from: new Date(first).toISOString(),
    to: new Date(first + size * step).toISOString(),
    stepSeconds: step / 1000,
    steps,
    facets: {
      status: shown("status"),
      method: shown("method"),
      host: shown("host"),
      path: shown("path"),
      deployment: shown("deployment"),
    },
    entries: parts.reduce((sum, part) => sum + part.entries, 0),
    isComplete: parts.every((part) => part.isComplete),
  };
}
