/**
 * The periods that traffic is kept by. Pure.
 *
 * @module
 */
import type { TrafficRange } from "../../contract/traffic.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const UNITS = ["minute", "hour", "day"] as const;
export type Unit = typeof UNITS[number];

/** Length of a unit, and how long its counts are kept, in milliseconds. */
export const PERIODS: Readonly<Record<Unit, { readonly ms: number; readonly keptMs: number }>> = {
  minute: { ms: MINUTE_MS, keptMs: 2 * HOUR_MS },
  hour: { ms: HOUR_MS, keptMs: 2 * DAY_MS },
  day: { ms: DAY_MS, keptMs: 92 * DAY_MS },
};

/** By what a range is shown, and how many of it. */
export const RANGES: Readonly<
  Record<TrafficRange, { readonly unit: Unit; readonly steps: number }>
> = {
  hour: { unit: "minute", steps: 60 },
  day: { unit: "hour", steps: 24 },
  "90d": { unit: "day", steps: 90 },
};

/** The start of the period that a time lies in; periods are those of UTC. */
export function startOf(unit: Unit, time: number): number {
  return time - time % PERIODS[unit].ms;
}

/** The starts of all steps of a range that ends now, the oldest first. */
export function stepsOf(range: TrafficRange, now: number): number[] {
  const { unit, steps } = RANGES[range];
  const last = startOf(unit, now);
  return Array.from({ length: steps }, (_, step) => last - (steps - 1 - step) * PERIODS[unit].ms);
}
