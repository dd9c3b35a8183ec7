/** @module History of the SQL prompt, stored in the user's config folder. */
import { dirname } from "node:path";
import { writeFileAtomically } from "../../../lib/atomic_file.ts";
import { NotUtf8Error, readTextFile } from "../../../lib/utf8.ts";

/** Maximum number of statements to keep. */
export const MAX_HISTORY = 1000;
/** Maximum length of a statement that is kept, in characters. */
const MAX_STATEMENT = 10_000;
/** Maximum size of the history file, in bytes. */
const MAX_FILE = 16 * 1024 * 1024;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Matches words that suggest a secret, and URLs with a password. */
const SECRET =
  /pass(?:word|wd|phrase)|secret|token|credential|api_?key|private_?key|:\/\/[^\s/@:]*:[^\s/@]+@/i;

/** Returns whether a statement seems to contain a password. */
export function looksSecret(statement: string): boolean {
  return SECRET.test(statement);
}

/** Returns the statements in a history file, oldest first. Invalid lines are left out. */
export function parseHistory(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === "string" ? [value] : [];
    } catch {
      return [];
    }
  }).slice(-MAX_HISTORY);
}

export interface History {
  /** Statements, newest first. */
  readonly statements: readonly string[];
  /** Adds a statement. Returns false without adding it if it seems to contain a password. */
  add(statement: string): Promise<boolean>;
}

async function readHistory(path: string): Promise<readonly string[]> {
  try {
    if ((await Deno.stat(path)).size > MAX_FILE) return [];
    return parseHistory(await readTextFile(path));
  } catch (error) {
    // A file that is not valid UTF-8 counts as empty.
    if (error instanceof Deno.errors.NotFound || error instanceof NotUtf8Error) return [];
    throw error;
  }
}

/** Formats a statement on one line. JSON escapes its line breaks. */
const lineOf = (statement: string): string => `${JSON.stringify(statement)}\n`;

/** Opens the history in a file. Without a file, the history is lost when the prompt closes. */
export async function openHistory(path: string | undefined): Promise<History> {
  const kept = path === undefined ? [] : [...await readHistory(path)];
  if (path !== undefined) {
    await Deno.mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
    // The file is shortened only when it is opened, so two prompts can append to it safely.
    await writeFileAtomically(path, kept.map(lineOf).join(""), { mode: FILE_MODE });
  }
  const statements = kept.reverse();
  return {
    statements,
    async add(statement) {
      if (looksSecret(statement) || statement.length > MAX_STATEMENT) return false;
      if (statements[0] === statement) return true;
      statements.unshift(statement);
      if (path === undefined) return true;
      await Deno.writeTextFile(path, lineOf(statement), { append: true, mode: FILE_MODE });
      return true;
    },
  };
}
