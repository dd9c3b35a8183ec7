/** The periods of stored traffic. Pure. @module */
import type { TrafficRange } from "../../contract/traffic.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const UNITS = ["minute", "hour", "day"] as const;
export type Unit = typeof UNITS[number];

/** Length of each unit, and how long the unit's counts are kept, in milliseconds. */
export const PERIODS: Readonly<Record<Unit, { readonly ms: number; readonly keptMs: number }>> = {
  minute: { ms: MINUTE_MS, keptMs: 2 * HOUR_MS },
  hour: { ms: HOUR_MS, keptMs: 2 * DAY_MS },
  day: { ms: DAY_MS, keptMs: 92 * DAY_MS },
};

/** The unit and the number of steps in each range. */
export const RANGES: Readonly<
  Record<TrafficRange, { readonly unit: Unit; readonly steps: number }>
> = {
  hour: { unit: "minute", steps: 60 },
  day: { unit: "hour", steps: 24 },
  "90d": { unit: "day", steps: 90 },
};

/** Returns the start of the period that contains a time. Periods follow UTC. */
export function startOf(unit: Unit, time: number): number {
  return time - time % PERIODS[unit].ms;
}

/** Minimum number of steps in a new project's report. */
const LEAST_STEPS = 24;

/** The steps of a report: their unit and their starts, oldest first. */
export interface Steps {
  readonly unit: Unit;
  readonly starts: readonly number[];
}

/**
 * Returns the steps of a range. For a new project, the steps are shorter, and cover the time since
 * the project's creation.
 */
export function stepsOf(range: TrafficRange, now: number, createdAt: number): Steps {
  const { unit: usual, steps: most } = RANGES[range];
  const unit = UNITS.find((unit) => unit === usual || now - createdAt < PERIODS[unit].keptMs)!;
  const { ms } = PERIODS[unit];
  const last = startOf(unit, now);
  const since = (last - startOf(unit, createdAt)) / ms + 1;
  const steps = unit === usual ? most : Math.max(LEAST_STEPS, since);
  return {
    unit,
    starts: Array.from({ length: steps }, (_, step) => last - (steps - 1 - step) * ms),
  };
}
