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

/** Matches an hour field for which every hour is due, so there is no hour to make up or repeat. */
const EVERY_HOUR = /^\*(?:\/1)?$/;

/**
 * Returns the first time after a given time at which a valid schedule is due, in milliseconds since
 * the epoch. When clocks go forward, runs in the skipped hour are due at the end of that hour. When
 * clocks go back, runs in the repeated hour are due only once. A schedule that is due every hour is
 * due in both repetitions, and not at the end of a skipped hour.
 */
export function nextRun(schedule: CronSchedule, after: number): number | undefined {
  const { timezone = "UTC" } = schedule;
  const [, hour = "*"] = schedule.schedule.trim().split(/\s+/);
  if (timezone === "UTC" || EVERY_HOUR.test(hour)) {
    return open(schedule).nextRun(new Date(after))?.getTime();
  }
  // The schedule is evaluated on the wall clock, which a UTC date stands for.
  const onWall = open({ schedule: schedule.schedule });
  const wall = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(timezone)
    .toPlainDateTime().toZonedDateTime("UTC").epochMilliseconds;
  let next = onWall.nextRun(new Date(wall));
  while (next !== null) {
    const at = instantOf(next.getTime(), timezone);
    // In the second pass of a repeated hour, the wall clock shows times that have already passed.
    if (at > after) return at;
    next = onWall.nextRun(next);
  }
  return undefined;
}

/**
 * Returns when the clocks in a time zone first show a time, which is given as if it were in UTC. If
 * the clocks skip that time, returns when they go forward.
 */
function instantOf(wall: number, timezone: string): number {
  const shown = Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO("UTC")
    .toPlainDateTime();
  const at = shown.toZonedDateTime(timezone, { disambiguation: "earlier" });
  const isSkipped = !at.toPlainDateTime().equals(shown);
  return (isSkipped ? at.getTimeZoneTransition("next") ?? at : at).epochMilliseconds;
}
