/** Finds the tasks that are due in a round. Pure. @module */
import { nextRun } from "../../lib/cron_schedule.ts";
import type { CronTask } from "../../manifest/mod.ts";

export const MINUTE_MS = 60_000;

/** How late a missed run may still start, in milliseconds: one hour. */
const CATCH_UP_MS = 60 * MINUTE_MS;

/** Returns the start of the minute that contains a point in time. */
export const minuteOf = (moment: number): number => moment - (moment % MINUTE_MS);

/** A time span that excludes its start, in milliseconds since the epoch. */
interface Span {
  readonly after: number;
  readonly until: number;
}

/**
 * Returns the time span of a round: since `previous`, which is the previous round's minute, but at
 * most an hour.
 */
export function spanOf(minute: number, previous: number | undefined): Span {
  const after = previous ?? minute - MINUTE_MS;
  return { after: Math.max(after, minute - CATCH_UP_MS), until: minute };
}

/** Returns the tasks that are due in a period, each once, so missed runs do not pile up. */
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
