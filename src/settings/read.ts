/** @module Reads settings from flags, then variables, then a file, then defaults. */
import { dirname, isAbsolute, join } from "node:path";
import type { Diagnostic } from "../lib/diagnostic.ts";
import { nearest } from "../lib/suggest.ts";
import { parseToml, type TomlDocument } from "../lib/toml.ts";
import { InvalidValueError } from "../lib/value_parsers.ts";
import type { Kind } from "./kinds.ts";
import { withOption } from "./options.ts";
import {
  CONFIG_VARIABLE,
  flagOf,
  isAction,
  type Setting,
  SETTINGS,
  VARIABLE_PREFIX,
  variableOf,
} from "./table.ts";

/** A `serve.toml`. */
export interface SettingsFile {
  /** Absolute path of the file. Paths in the file are relative to the file's folder. */
  readonly path: string;
  readonly source: string;
  /** Whether only the owner can read the file. Only then can it contain secrets. */
  readonly isPrivate: boolean;
}

export interface Sources {
  /** Values of the given flags, by setting. All values except secrets are parsed. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file?: SettingsFile | undefined;
  /** Makes a path from a flag or variable absolute. */
  readonly absolute: (path: string) => string;
}

interface FoundSetting {
  readonly value: unknown;
  /** The source of the value: the flag, the variable, or the line in the file. */
  readonly from: string;
}

export interface FoundSettings {
  /** Values by setting name. Settings without a value are missing. */
  readonly found: ReadonlyMap<string, FoundSetting>;
  /** Problems in the file, each with its position. */
  readonly inFile: readonly Diagnostic[];
  /** Other problems, such as unknown variables or contradictory settings. */
  readonly others: readonly string[];
}

const LIMITS = { maxBytes: 256 * 1024, maxDepth: 4 };

const TYPES = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  list: "an array",
};

type FileType = Kind<unknown>["types"][number];

function typeOf(value: unknown): FileType | undefined {
  if (Array.isArray(value)) {
    return value.every((each) => typeof each === "string") ? "list" : undefined;
  }
  const type = typeof value === "bigint" ? "number" : typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : undefined;
}

/** Makes a path absolute. URLs and Deno KV's in-memory database remain unchanged. */
function placed({ kind }: Setting, value: unknown, absolute: Sources["absolute"]): unknown {
  if (kind.isPath !== true) return value;
  if (Array.isArray(value)) return value.map(absolute);
  const text = String(value);
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|postgres(?:ql)?:|:memory:)/i.test(text)
    ? text
    : absolute(text);
}

/**
 * Parses a value. Returns an error message if the value is invalid. A list from a file is already
 * split.
 */
function parse(
  { kind }: Setting,
  given: string | readonly string[],
): { readonly value: unknown } | string {
  try {
    if (typeof given === "string") return { value: kind.parse(given) };
    return { value: kind.item === undefined ? given : given.map(kind.item) };
  } catch (error) {
    if (error instanceof InvalidValueError) return error.message;
    throw error;
  }
}

/** Reads settings from one source after another and collects all problems. */
class Reader {
  readonly found = new Map<string, FoundSetting>();
  readonly inFile: Diagnostic[] = [];
  readonly others: string[] = [];

  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  #add(setting: Setting, value: unknown, from: string, absolute = this.#sources.absolute): void {
    if (this.found.has(setting.name)) return;
    this.found.set(setting.name, { value: placed(setting, value, absolute), from });
  }

  readFlags(): void {
    for (const setting of SETTINGS) {
      const given = this.#sources.flags[setting.name];
      if (given === undefined) continue;
      const flag = flagOf(setting);
      const parsed = setting.secret === undefined
        ? { value: given }
        : parse(setting, String(given));
      if (typeof parsed === "string") this.others.push(`${flag}: ${parsed}`);
      else if (setting.secret === "password" && hasPassword(parsed.value)) {
        this.others.push(
          `Set the URL with its password in ${
            variableOf(setting)
          } instead of ${flag}: others on this machine can read command lines`,
        );
      } else this.#add(setting, parsed.value, flag);
    }
  }

  readVariables(): void {
    const { env } = this.#sources;
    const known = new Map(
      SETTINGS.filter((setting) => !isAction(setting)).map((each) => [variableOf(each), each]),
    );
    for (const name of Object.keys(env)) {
      if (!name.startsWith(VARIABLE_PREFIX) || known.has(name) || name === CONFIG_VARIABLE) {
        continue;
      }
      const meant = nearest(name, known.keys());
      const hint = meant === undefined ? "" : `: did you mean ${meant}?`;
      this.others.push(`Unknown variable ${name}${hint}`);
    }
    for (const [name, setting] of known) {
      const text = env[name];
      if (text === undefined || text === "") continue;
      const parsed = parse(setting, text);
      if (typeof parsed === "string") this.others.push(`${name}: ${parsed}`);
      else this.#add(setting, parsed.value, name);
    }
  }

  readFile(): void {
    const { file } = this.#sources;
    if (file === undefined) return;
    const parsed = parseToml(file.source, LIMITS);
    if (!parsed.ok) return void this.inFile.push(...parsed.diagnostics);
    for (const [key, value] of Object.entries(parsed.document.value)) {
      this.#readKey(file, parsed.document, key, value);
    }
  }

  #readKey(file: SettingsFile, document: TomlDocument, key: string, value: unknown): void {
    const position = document.locateKey([key]);
    const complain = (code: string, message: string, hint?: string) => {
      this.inFile.push({
        severity: "error",
        code,
        message,
        path: key,
        hint,
        position,
      });
    };
    const setting = SETTINGS.find(({ name }) => name === key);
    if (setting === undefined) {
      const meant = nearest(key, SETTINGS.map(({ name }) => name));
      const hint = meant === undefined ? undefined : `Did you mean "${meant}"?`;
      return complain("unknown_key", "Unknown setting: remove the key", hint);
    }
    if (isAction(setting)) {
      return complain(
        "unknown_key",
        `Use ${flagOf(setting)} as a flag, because it applies to only one start`,
      );
    }
    const type = typeOf(value);
    if (type === undefined || !setting.kind.types.includes(type)) {
      const wanted = setting.kind.types.map((each) => TYPES[each]).join(" or ");
      return complain("wrong_type", `Must be ${wanted}`);
    }
    if (setting.secret !== undefined && !file.isPrivate && isSecret(setting, value)) {
      return complain("open_secret", "The file contains a secret. Restrict it: chmod 600");
    }
    const parsed = parse(setting, type === "list" ? value as string[] : String(value));
    if (typeof parsed === "string") return complain("invalid_value", parsed);
    const folder = dirname(file.path);
    const absolute = (path: string) => isAbsolute(path) ? path : join(folder, path);
    const line = position === undefined ? "" : `:${position.line}`;
    this.#add(setting, parsed.value, `${file.path}${line}`, absolute);
  }

  /** Reports settings that have no effect without another setting. */
  checkObjects(): void {
    for (const needed of SETTINGS) {
      const [object, member] = needed.option?.split(".") ?? [];
      if (needed.required !== true || member === undefined || this.found.has(needed.name)) continue;
      const useless = SETTINGS.find(({ name, option }) =>
        option?.startsWith(`${object}.`) && this.found.has(name)
      );
      if (useless === undefined) continue;
      const wanted = needed.secret === true && needed.flagless !== true
        ? `${variableOf(needed)} or --${needed.name}`
        : flagOf(needed);
      this.others.push(`Set ${wanted} together with ${this.found.get(useless.name)!.from}`);
    }
  }
}

const hasPassword = (value: unknown): boolean => (URL.parse(String(value))?.password ?? "") !== "";

export const isSecret = ({ secret }: Setting, value: unknown): boolean =>
  secret === true || secret === "password" && hasPassword(value);

/** Reads all sources. Returns the errors in them rather than throwing an error. */
export function readSettings(sources: Sources): FoundSettings {
  const reader = new Reader(sources);
  reader.readFlags();
  reader.readVariables();
  reader.readFile();
  if (reader.others.length === 0 && reader.inFile.length === 0) reader.checkObjects();
  return reader;
}

/** Returns the options that were found, without defaults. */
export function foundOptions({ found }: Pick<FoundSettings, "found">): Readonly<
  Record<string, unknown>
> {
  return SETTINGS.reduce((options, { name, option }) => {
    const given = found.get(name);
    return option === undefined || given === undefined
      ? options
      : withOption(options, option, given.value);
  }, {});
}
