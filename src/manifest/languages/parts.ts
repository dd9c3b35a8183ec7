/** @module Code shared by the language files. */
import { parseToml, type TomlLimits } from "../../lib/toml.ts";
import type { Placement, ProjectReader } from "../frameworks/types.ts";

/** The whole project, unchanged. */
export const WHOLE_PROJECT: readonly Placement[] = [{ from: ".", to: "." }];

/** Folders that a compiled program can read at run time. */
const READ_FOLDERS = [
  "assets",
  "config",
  "content",
  "data",
  "dist",
  "fixtures",
  "i18n",
  "locales",
  "migrations",
  "public",
  "static",
  "templates",
  "views",
  "web",
  "www",
] as const;

/** Returns the placements for a built program and for the folders that it can read. */
export const programPlacements = (from: string, to: string): readonly Placement[] => [
  { from, to },
  ...READ_FOLDERS.map((folder) => ({ from: folder, to: folder, optional: true })),
];

/** The folder for build output, which is not part of the project. */
export const BUILT = ".svc/built";

/** Quotes a word for a shell. */
export const quote = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const LIMITS: TomlLimits = { maxBytes: 256 * 1024, maxDepth: 16 };

type Table = Readonly<Record<string, unknown>>;

/** Returns a nested table, or an empty table if there is none. */
export const tableOf = (value: unknown, key: string): Table => {
  const found = typeof value === "object" && value !== null ? (value as Table)[key] : undefined;
  return typeof found === "object" && found !== null ? found as Table : {};
};

/** Reads a TOML file. Returns `undefined` if the file does not exist or is not valid. */
export async function readToml(reader: ProjectReader, path: string): Promise<Table | undefined> {
  const text = await reader.readText(path);
  const parsed = text === undefined ? undefined : parseToml(text, LIMITS);
  return parsed?.ok === true ? parsed.document.value as Table : undefined;
}

/** Returns the command in a Procfile that serves requests. */
export async function procfileCommand(reader: ProjectReader): Promise<string | undefined> {
  const text = await reader.readText("Procfile");
  return /^web:[ \t]*(\S.*)$/m.exec(text ?? "")?.[1]?.trim();
}

/**
 * Splits a line into commands that each run only if the previous one succeeds. A line with quotes
 * counts as one command.
 */
export const commandsOf = (line: string): readonly string[] =>
  /["']/.test(line) ? [line] : line.split("&&").map((command) => command.trim());

/** Finds the first file that exists and matches a pattern. */
export async function findIn(
  reader: ProjectReader,
  paths: readonly string[],
  pattern: RegExp,
): Promise<{ readonly path: string; readonly match: RegExpExecArray } | undefined> {
  for (const path of paths) {
    const match = pattern.exec(await reader.readText(path) ?? "");
    if (match !== null) return { path, match };
  }
  return undefined;
}

/** Returns the first path that exists. */
export async function firstThere(
  reader: ProjectReader,
  paths: readonly string[],
): Promise<string | undefined> {
  for (const path of paths) if (await reader.exists(path)) return path;
  return undefined;
}
