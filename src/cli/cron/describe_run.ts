/** @module Describes runs of scheduled tasks. Pure. */
import type { CronRun } from "../../contract/cron.ts";
import { formatAge, formatDuration, printable } from "../terminal/format.ts";

/** Describes how a run finished, such as `200 in 31 ms`. */
export function describeRun({ outcome, status, error, durationMs }: CronRun): string {
  if (outcome === "running") return "running";
  const answer = status === null ? "no response" : String(status);
  const time = durationMs === null ? "" : ` in ${formatDuration(durationMs)}`;
  return `${answer}${time}${error === null ? "" : ` (${printable(error)})`}`;
}

/** Describes the last run of a task and its age. `now` is in milliseconds. */
export function describeLast(run: CronRun | null, now: number): string {
  return run === null ? "never" : `${describeRun(run)}, ${formatAge(run.startedAt, now)}`;
}
