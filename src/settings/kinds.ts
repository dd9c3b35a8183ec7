/** @module The kinds of values that settings can have, and how to parse and print them. */
import {
  type Bounds,
  countryCode,
  decimalNumber,
  type HostHeader,
  hostName,
  httpUrl,
  InvalidValueError,
  parseByteSize,
  parseHeaders,
  splitList,
  wholeNumber,
  writeByteSize,
} from "../lib/value_parsers.ts";

/** A value that can be written in `serve.toml`. */
export type TomlValue = string | number | boolean | readonly string[];

export interface Kind<Value> {
  /** Name of the value in help, such as `<port>`. Empty for a switch. */
  readonly placeholder: string;
  /** Types that the value can have in a settings file. */
  readonly types: readonly ("string" | "number" | "boolean" | "list")[];
  readonly choices?: readonly string[];
  /**
   * True for a path. In a file, it is relative to the file's folder. Some settings accept a URL
   * instead.
   */
  readonly isPath?: true;
  /** Parses an item of a list in a file. @throws {InvalidValueError} */
  item?(text: string): string;
  /** @throws {InvalidValueError} */
  parse(text: string): Value;
  write(value: Value): TomlValue;
}

/** Any text. */
export const text = (placeholder: string): Kind<string> => ({
  placeholder,
  types: ["string"],
  parse: (given) => given,
  write: (value) => value,
});

/** A path, or a URL if the setting accepts URLs. */
export const path = (placeholder: string): Kind<string> => ({
  ...text(placeholder),
  isPath: true,
});

export const host = (placeholder: string): Kind<string> => ({
  ...text(placeholder),
  parse: hostName,
});

export const url = (placeholder: string): Kind<string> => ({
  ...text(placeholder),
  parse: httpUrl,
});

/** A database server: `local`, or a PostgreSQL URL. */
export const postgresServer = (placeholder: string): Kind<string> => ({
  ...text(placeholder),
  parse(given) {
    if (given === "local" || /^postgres(?:ql)?:$/.test(URL.parse(given)?.protocol ?? "")) {
      return given;
    }
    throw new InvalidValueError("Must be local, or a URL that begins with postgres://");
  },
});

/** The name of a bot, without its `@`. */
export const botName = (placeholder: string): Kind<string> => ({
  ...text(placeholder),
  parse: (given) => given.replace(/^@/, ""),
});

/** A country as a two-letter code (ISO 3166-1). */
export const country = (placeholder: string): Kind<string> => ({
  ...text(placeholder),
  parse: countryCode,
});

/** A node's name, which is shown in tables and logs. */
export const nodeName = (placeholder: string): Kind<string> => ({
  ...text(placeholder),
  parse(given) {
    if (/^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/.test(given)) return given;
    throw new InvalidValueError("Must be 1 to 63 lowercase letters, digits, '.', '_' and '-'");
  },
});

export const choice = <const Choice extends string>(
  placeholder: string,
  choices: readonly Choice[],
): Kind<Choice> => ({
  placeholder,
  types: ["string"],
  choices,
  parse(given) {
    const found = choices.find((each) => each === given);
    if (found !== undefined) return found;
    throw new InvalidValueError(`Allowed choices are ${choices.join(", ")}`);
  },
  write: (value) => value,
});

/**
 * A number in units of `unit`, multiplied by `factor` before it is stored. For example, seconds are
 * stored as milliseconds.
 */
function number(
  placeholder: string,
  parse: (given: string) => number,
  factor: number,
): Kind<number> {
  return {
    placeholder,
    types: ["number"],
    parse: (given) => parse(given) * factor,
    write: (value) => value / factor,
  };
}

export const count = (bounds: Bounds, placeholder = "<n>"): Kind<number> =>
  number(placeholder, wholeNumber(bounds), 1);

/** Whole seconds, stored as milliseconds. */
export const seconds = (max: number): Kind<number> =>
  number("<s>", wholeNumber({ min: 1, max }), 1000);

/** Whole minutes, stored as milliseconds. */
export const minutes = (bounds: Bounds): Kind<number> => number("<n>", wholeNumber(bounds), 60_000);

/** Minutes with up to two decimal places, stored as milliseconds. */
export const decimalMinutes = (bounds: Bounds): Kind<number> =>
  number("<n>", decimalNumber(bounds), 60_000);

const DURATION_UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000 } as const;

/** A duration with a unit, such as `24h`, stored as milliseconds. */
export const duration = ({ min, max }: Bounds): Kind<number> => ({
  placeholder: "<time>",
  types: ["string"],
  parse(given) {
    const [, number, unit] = /^(\d{1,6})([mhd])$/.exec(given) ?? [];
    const value = Number(number) * DURATION_UNITS[unit as keyof typeof DURATION_UNITS];
    if (value >= min && value <= max) return value;
    throw new InvalidValueError("Must be a duration with a unit, such as 30m, 24h or 7d");
  },
  write(value) {
    const [unit, factor] = Object.entries(DURATION_UNITS).find(([, each]) => value % each === 0)!;
    return `${value / factor}${unit}`;
  },
});

const PORT = { min: 0, max: 65535 };

export const port = (): Kind<number> => count(PORT, "<port>");

/** A port, or `none`. */
export const portOrNone = (): Kind<number | "none"> => ({
  placeholder: "<port>",
  types: ["number", "string"],
  parse: (given) => given === "none" ? given : wholeNumber(PORT)(given),
  write: (value) => value,
});

/** A number, or `auto`. */
export const countOrAuto = (bounds: Bounds): Kind<number | "auto"> => ({
  placeholder: "<n>",
  types: ["number", "string"],
  parse(given) {
    if (given === "auto") return given;
    try {
      return wholeNumber(bounds)(given);
    } catch {
      const { min, max } = bounds;
      throw new InvalidValueError(`Must be auto, or a whole number from ${min} to ${max}`);
    }
  },
  write: (value) => value,
});

/** A number of bytes with a unit. 0 needs no unit. */
export const size = (): Kind<number> => ({
  placeholder: "<size>",
  types: ["string", "number"],
  parse(given) {
    const bytes = given === "0" ? 0 : parseByteSize(given);
    if (bytes !== undefined && bytes <= 1024 ** 4) return bytes;
    throw new InvalidValueError("Must be a size of at most 1024GiB with a unit, such as 256MiB");
  },
  write: writeByteSize,
});

const MEGABYTE = 1_000_000;

/** A number of bytes, given with a unit or as a whole number of MB. The bounds are in MB. */
export const megabytes = ({ min, max }: Bounds): Kind<number> => ({
  placeholder: "<size>",
  types: ["number", "string"],
  parse(given) {
    const bytes = /^\d{1,15}$/.test(given) ? Number(given) * MEGABYTE : parseByteSize(given);
    if (bytes !== undefined && bytes >= min * MEGABYTE && bytes <= max * MEGABYTE) return bytes;
    throw new InvalidValueError(
      `Must be a whole number of MB from ${min} to ${max}, or a size with a unit, such as 4GiB`,
    );
  },
  write: writeByteSize,
});

export const toggle = (): Kind<boolean> => ({
  placeholder: "",
  types: ["boolean"],
  parse(given) {
    if (given === "true" || given === "1") return true;
    if (given === "false" || given === "0") return false;
    throw new InvalidValueError("Must be true or false");
  },
  write: (value) => value,
});

/** A list of values: a repeatable flag, a comma-separated string, or an array in a file. */
export const list = (placeholder: string): Kind<readonly string[]> => ({
  placeholder,
  types: ["list", "string"],
  parse: splitList,
  write: (value) => value,
});

/** Like {@link list}, for hostnames. */
export const hosts = (placeholder: string): Kind<readonly string[]> => ({
  ...list(placeholder),
  item: hostName,
  parse: (given) => splitList(given).map(hostName),
});

/** Like {@link list}, for HTTP and HTTPS URLs. */
export const urls = (placeholder: string): Kind<readonly string[]> => ({
  ...list(placeholder),
  item: httpUrl,
  parse: (given) => splitList(given).map(httpUrl),
});

/** Headers in the format of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value` with percent-encoding. */
export const headers = (placeholder: string): Kind<readonly HostHeader[]> => ({
  placeholder,
  types: ["string"],
  parse: parseHeaders,
  write: (value) =>
    value.map(({ host, name, value: text }) =>
      `${host === undefined ? "" : `${host}:`}${name}=${encodeURIComponent(text)}`
    ).join(","),
});

/** Like {@link list}, for paths. */
export const paths = (placeholder: string): Kind<readonly string[]> => ({
  ...list(placeholder),
  isPath: true,
});
