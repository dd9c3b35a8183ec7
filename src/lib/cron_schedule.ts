/** @module Task schedules, as in a crontab. Pure. */
import { Cron } from "croner";

/** A cron expression, and the time zone in which it applies. */
interface CronSchedule {
  readonly schedule: string;
  /** IANA name; UTC by default. */
  readonly timezone?: string | undefined;
}

/** Maximum length of a schedule, in characters. */
export const MAX_SCHEDULE_LENGTH = 200;

/** Names of months and days, which are equivalent to their numbers. */
const NAMES = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)$/i;

/** An arbitrary time, which does not affect whether a schedule is ever due. */
const SOME_DAY = new Date(Date.UTC(2026, 0, 1));

function isPlain(part: string): boolean {
  return part.split(/[,/*-]/).every((value) => /^\d{0,2}$/.test(value) || NAMES.test(value));
}

function open({ schedule, timezone = "UTC" }: CronSchedule): Cron {
  return new Cron(schedule.trim(), { timezone, paused: true, mode: "5-part" });
}

/** Returns true for the IANA name of a time zone, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    // Only some runtimes accept offsets such as "+02:00" as names.
    return /^[A-Za-z]/.test(name) && Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** Returns the problem with a schedule as a clause, or `undefined` if the schedule is valid. */
export function scheduleProblem(schedule: string): string | undefined {
  const parts = schedule.trim().split(/\s+/);
  if (schedule.length > MAX_SCHEDULE_LENGTH) return `it is longer than ${MAX_SCHEDULE_LENGTH}`;
  if (parts.length !== 5) return `it has ${parts.length} fields instead of 5`;
  const odd = parts.find((part) => !isPlain(part));
  if (odd !== undefined) return `"${odd}" is not a crontab field`;
  try {
    const next = open({ schedule }).nextRun(SOME_DAY);
    return next === null ? "no date matches it" : undefined;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).replace(/^CronPattern: /, "");
  }
}

/**
 * Returns the first time after a given time at which a valid schedule is due, in milliseconds since
 * the epoch. When clocks go forward, runs in the skipped hour are due at the end of that hour. When
 * clocks go back, runs in the repeated hour are due only once.
 */
export function nextRun(schedule: CronSchedule, after: number): number | undefined {
  return open(schedule).nextRun(new Date(after))?.getTime();
}
