/** @module Parsers for the values of flags, and flags that several commands have. */
import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { isIP } from "node:net";
import { isUuid } from "../../lib/ids.ts";
import * as values from "../../lib/value_parsers.ts";
import { type Bounds, InvalidValueError } from "../../lib/value_parsers.ts";

/** Makes the command-line parser report an invalid value. */
export function asArgument<Value>(parse: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof InvalidValueError) throw new InvalidArgumentError(`${error.message}.`);
      throw error;
    }
  };
}

/** Creates a parser for a whole number within inclusive bounds. */
export const wholeNumber = (bounds: Bounds) => asArgument(values.wholeNumber(bounds));

/** Maximum number of entries on one page of a list. */
const MAX_LISTED = 10_000;

/** Declares `--limit` for a list, with the default `usual`. */
export const limitOption = (usual: number) =>
  new Option("--limit <n>", "maximum number, newest first")
    .argParser(wholeNumber({ min: 1, max: MAX_LISTED })).default(usual);

/** Collects the values of a repeatable flag. */
export function repeated(text: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), text];
}

/** Collects IP addresses. */
export function repeatedAddress(text: string, previous: readonly string[] | undefined): string[] {
  if (isIP(text) === 0) throw new InvalidArgumentError("Expected an IP address.");
  return repeated(text, previous);
}

export const countryCode = asArgument(values.countryCode);

/** Parses an absolute http or https URL. */
export const httpUrl = asArgument(values.httpUrl);

export function deploymentId(text: string): string {
  const id = text.toLowerCase();
  if (isUuid(id)) return id;
  throw new InvalidArgumentError("Expected a deployment ID. svc deployments lists them.");
}

/** Splits `a,b` and collects the values of a repeatable flag. */
export function repeatedList(text: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), ...values.splitList(text)];
}

/** Parses `true` or `false` for flags that change a setting. */
export function booleanValue(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new InvalidArgumentError("Expected true or false.");
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * Parses a duration such as `90s`, `30m`, `12h` or `7d` within bounds in seconds. Returns seconds.
 */
export function duration(bounds: { readonly min: number; readonly max: number }) {
  return (text: string): number => {
    const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
    const seconds = Number(count) * UNITS[unit ?? ""]!;
    if (seconds >= bounds.min && seconds <= bounds.max) return seconds;
    throw new InvalidArgumentError(
      `Expected a duration from ${bounds.min} seconds to ${
        bounds.max / UNITS.d!
      } days, such as 12h or 7d.`,
    );
  };
}

/** Parses a time in ISO 8601, or a duration before now such as `15m`, `2h`, `1d` or `30s`. */
export function parseSince(text: string, now: number): string {
  const back = /^(\d{1,6})([smhd])$/.exec(text);
  if (back !== null) {
    return new Date(now - Number(back[1]) * UNITS[back[2]!]! * 1000).toISOString();
  }
  const time = Date.parse(text);
  if (!Number.isNaN(time) && /^\d{4}-/.test(text)) return new Date(time).toISOString();
  throw new InvalidArgumentError(
    `Expected a duration before now, such as 15m, or a date and time: "${text}" is neither.`,
  );
}
