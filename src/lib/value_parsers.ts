/** @module Parsers for values in flags, variables and settings files. */

/** The text is not a valid value. The message states the expected form. */
export class InvalidValueError extends Error {
  override readonly name = "InvalidValueError";
}

/** Minimum and maximum of a value, inclusive. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

export function wholeNumber({ min, max }: Bounds) {
  return (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidValueError(`Must be a whole number from ${min} to ${max}`);
  };
}

/** Creates a parser for numbers within bounds that have at most two decimal places. */
export function decimalNumber({ min, max }: Bounds) {
  return (text: string): number => {
    const value = /^\d{1,15}(?:\.\d{1,2})?$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidValueError(`Must be a number from ${min} to ${max}`);
  };
}

/** Units of sizes, in order of preference. */
const BYTE_UNITS: Readonly<Record<string, number>> = {
  GiB: 1024 ** 3,
  MiB: 1024 ** 2,
  KiB: 1024,
  GB: 1e9,
  MB: 1e6,
  kB: 1e3,
  B: 1,
};

/**
 * Parses a size such as `256MiB` or `1.5GB`. Returns bytes, or `undefined` if the text is not a
 * size.
 */
export function parseByteSize(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,15}(?:\.\d{1,3})?)([KMG]iB|kB|MB|GB|B)$/.exec(text) ?? [];
  return unit === undefined ? undefined : Math.round(Number(number) * BYTE_UNITS[unit]!);
}

/** Writes a size exactly, in the form that {@link parseByteSize} reads. */
export function writeByteSize(bytes: number): string {
  const [unit, factor] = Object.entries(BYTE_UNITS).find(([, each]) => bytes % each === 0)!;
  return `${bytes / factor}${unit}`;
}

const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** Parses an ASCII hostname, which is converted to lower case. */
export function hostName(text: string): string {
  const name = text.toLowerCase();
  if (HOST_NAME.test(name)) return name;
  throw new InvalidValueError("Must be an ASCII hostname without a scheme or port");
}

/** Parses a two-letter country code (ISO 3166-1), which is converted to upper case. */
export function countryCode(text: string): string {
  if (/^[A-Za-z]{2}$/.test(text)) return text.toUpperCase();
  throw new InvalidValueError("Must be a two-letter country code, such as DE");
}

/** Parses an absolute http or https URL. */
export function httpUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new InvalidValueError("Must be an http or https URL such as https://svc.example.com");
}

/** A header for the endpoints on one host. The default is the first endpoint's host. */
export interface HostHeader {
  readonly host: string | undefined;
  readonly name: string;
  readonly value: string;
}

/** The part before `=`: `name` or `host:name`, where the host may include a port. */
const HEADER = /^(?:(.+):)?([!#$%&'*+.^_`|~0-9a-z-]+)$/i;

/**
 * Parses comma-separated headers with percent-encoded values, as in OpenTelemetry's
 * `OTEL_EXPORTER_OTLP_HEADERS`.
 */
export function parseHeaders(text: string): readonly HostHeader[] {
  return splitList(text).map((item) => {
    const [, host, name] = HEADER.exec(item.split("=", 1)[0]!.trim()) ?? [];
    const value = decodePercent(item.slice(item.indexOf("=") + 1).trim());
    if (name === undefined || !item.includes("=") || !/^[\x20-\x7e]+$/.test(value ?? "")) {
      throw new InvalidValueError(
        "Must be name=value pairs separated by commas, with special characters percent-encoded",
      );
    }
    return { host: host?.toLowerCase(), name, value: value! };
  });
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Splits `a,b`. */
export function splitList(text: string): readonly string[] {
  return text.split(",").map((item) => item.trim()).filter((item) => item !== "");
}
