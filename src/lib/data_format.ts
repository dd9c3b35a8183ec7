/** @module The version of the data directory's layout and records. */
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomically } from "./atomic_file.ts";
import { ifMissing } from "./missing_files.ts";
import { readTextFile } from "./utf8.ts";

/**
 * The format that this program reads and writes. The program opens directories of this format,
 * migrates older directories, and refuses newer ones (docs/decisions/store.md).
 */
export const DATA_FORMAT = 1;

/** The format of data directories that were created before there were format marks. */
export const UNMARKED_FORMAT = 1;

const FILE = "format.json";

/** Marks a directory that svc restore has not filled yet. */
const UNFINISHED_FILE = "restoring";

const markSchema = z.object({
  format: z.int().positive(),
  /** Version of the program that wrote the mark. */
  program: z.string().max(128),
  /**
   * An unfinished migration; if set, `format` is the target format, so a program that supports only
   * the older format refuses half-migrated data.
   */
  migration: z.object({
    /** Format of the data. The migration step from this format may already have begun. */
    from: z.int().positive(),
    /** Name of the pre-migration backup in the data directory. */
    backup: z.string().regex(/^before-format-\d+\.tar$/),
  }).optional(),
});

/** The content of the file that records a data directory's format. */
export type FormatMark = z.infer<typeof markSchema>;

/** A directory's format mark cannot be read. */
export class FormatMarkError extends Error {
  override readonly name = "FormatMarkError";

  constructor(path: string, cause: unknown) {
    super(`Cannot read ${path}, which stores the format of the data: restore it`, { cause });
  }
}

/**
 * Returns the format mark of a data directory, or `undefined` if there is none.
 *
 * @throws {FormatMarkError} if its content is not a valid mark.
 */
export async function readFormatMark(root: string): Promise<FormatMark | undefined> {
  const path = join(root, FILE);
  try {
    return markSchema.parse(JSON.parse(await readTextFile(path)));
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return undefined;
    throw new FormatMarkError(path, cause);
  }
}

/** Writes the format mark of a data directory. */
export async function writeFormatMark(root: string, mark: FormatMark): Promise<void> {
  const text = `${JSON.stringify(mark, null, 2)}\n`;
  await writeFileAtomically(join(root, FILE), text, { mode: 0o600 });
}

/** Marks a directory as one that svc restore has not filled yet. */
export async function markUnfinished(root: string): Promise<void> {
  await Deno.writeTextFile(join(root, UNFINISHED_FILE), "", { mode: 0o600 });
}

/** Removes the marker that {@link markUnfinished} wrote. */
export async function markFinished(root: string): Promise<void> {
  await Deno.remove(join(root, UNFINISHED_FILE));
}

/** Returns true for a directory left behind by an interrupted restore. */
export async function isUnfinished(root: string): Promise<boolean> {
  return await Deno.stat(join(root, UNFINISHED_FILE)).catch(ifMissing) !== undefined;
}
