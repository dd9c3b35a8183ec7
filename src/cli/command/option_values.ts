/**
 * Parsers for the values of flags, and flags that several commands have.
 *
 * @module
 */
import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { isUuid } from "../../lib/ids.ts";

/** A whole number within bounds, inclusive. */
export function wholeNumber(bounds: { readonly min: number; readonly max: number }) {
  return (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= bounds.min && value <= bounds.max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${bounds.min} to ${bounds.max}.`);
  };
}

/** A number within bounds, inclusive, with at most two decimal places. */
export function decimalNumber(bounds: { readonly min: number; readonly max: number }) {
  return (text: string): number => {
    const value = /^\d{1,15}(?:\.\d{1,2})?$/.test(text) ? Number(text) : NaN;
    if (value >= bounds.min && value <= bounds.max) return value;
    throw new InvalidArgumentError(`Give a number from ${bounds.min} to ${bounds.max}.`);
  };
}

const BYTE_UNITS: Readonly<Record<string, number>> = {
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
};

/** Largest size that a flag takes, in bytes. */
const MAX_SIZE = 1024 ** 4;

/** A size such as `256MiB` or `1.5GB`, in bytes; 0 needs no unit. */
export function byteSize(text: string): number {
  const [, number, unit] = /^(\d{1,13}(?:\.\d{1,3})?)([KMG]iB|kB|MB|GB)$/.exec(text) ?? [];
  const bytes = text === "0" ? 0 : Math.round(Number(number) * BYTE_UNITS[unit ?? "KiB"]!);
  if (bytes <= MAX_SIZE) return bytes;
  throw new InvalidArgumentError("Give a size of at most 1024GiB with its unit, such as 256MiB.");
}

/** Most entries of one answer of a list. */
const MAX_LISTED = 10_000;

/** `--limit` of a list; `usual` where it is not given. */
export const limitOption = (usual: number) =>
  new Option("--limit <n>", "how many, newest first")
    .argParser(wholeNumber({ min: 1, max: MAX_LISTED })).default(usual);

const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** A host name in ASCII; capital letters become small ones. */
export function hostName(text: string): string {
  const name = text.toLowerCase();
  if (HOST_NAME.test(name)) return name;
  throw new InvalidArgumentError("Give a host name without scheme and port, in ASCII.");
}

/** A name of a node, which tables and logs show. */
export function nodeName(text: string): string {
  if (/^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError("Use 1 to 63 small letters, digits, '.', '_' and '-'.");
}

/** Collects a flag that may be given several times. */
export function repeated(text: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), text];
}

/** An absolute http or https address. */
export function httpUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new InvalidArgumentError("Give an http or https URL such as https://svc.example.com.");
}

/** The id of a deployment. */
export function deploymentId(text: string): string {
  const id = text.toLowerCase();
  if (isUuid(id)) return id;
  throw new InvalidArgumentError("Give the id of a deployment; svc deployments lists them.");
}

/** Splits `a,b` and collects a flag that may be given several times. */
export function repeatedList(text: string, previous: readonly string[] | undefined): string[] {
  const items = text.split(",").map((item) => item.trim()).filter((item) => item !== "");
  return [...(previous ?? []), ...items];
}

/** `true` or `false`, of flags that set a setting. */
export function booleanValue(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new InvalidArgumentError("Give true or false.");
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A length of time such as `90s`, `30m`, `12h` or `7d` within bounds in seconds, as seconds. */
export function duration(bounds: { readonly min: number; readonly max: number }) {
  return (text: string): number => {
    const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
    const seconds = Number(count) * UNITS[unit ?? ""]!;
    if (seconds >= bounds.min && seconds <= bounds.max) return seconds;
    throw new InvalidArgumentError(
      `Give a time from ${bounds.min} seconds to ${bounds.max / UNITS.d!} days, such as 12h or 7d.`,
    );
  };
}

/** A moment as ISO 8601, or a time back from now such as `15m`, `2h`, `1d`, `30s`. */
export function parseSince(text: string, now: number): string {
  const back = /^(\d{1,6})([smhd])$/.exec(text);
  if (back !== null) {
    return new Date(now - Number(back[1]) * UNITS[back[2]!]! * 1000).toISOString();
  }
  const time = Date.parse(text);
  if (!Number.isNaN(time) && /^\d{4}-/.test(text)) return new Date(time).toISOString();
  throw new InvalidArgumentError("Give a time back from now such as 15m, or a date and time.");
}
