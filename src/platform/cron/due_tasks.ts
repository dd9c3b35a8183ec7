/**
 * Which tasks are due in a round. Pure.
 *
 * @module
 */
import { nextRun } from "../../lib/cron_schedule.ts";
import type { CronTask } from "../../manifest/mod.ts";

export const MINUTE_MS = 60_000;

/** A run that was due longer ago than this is not made up for, in milliseconds: one hour. */
const CATCH_UP_MS = 60 * MINUTE_MS;

/** The beginning of the minute of a moment. */
export const minuteOf = (moment: number): number => moment - (moment % MINUTE_MS);

/** A time span of which the beginning is not part, in milliseconds since the epoch. */
export interface Span {
  readonly after: number;
  readonly until: number;
}

/**
 * The span that a round looks at: from the previous one, but no longer than an hour. `previous` is
 * the minute of that round, if there was one.
 */
export function spanOf(minute: number, previous: number | undefined): Span {
  const after = previous ?? minute - MINUTE_MS;
  return { after: Math.max(after, minute - CATCH_UP_MS), until: minute };
}

/**
 * The tasks that are due at least once in a period, each once, so missed runs do not pile up.
 * `liveAt` is when their deployment went live.
 */
export function dueTasks(
  tasks: readonly CronTask[],
  { after, until }: Span,
  liveAt: number,
): readonly CronTask[] {
  return tasks.filter((task) => {
    const next = nextRun(task, Math.max(after, liveAt));
    return next !== undefined && next <= until;
  });
}
