/**
 * Lists the files below a folder that belong in a backup.
 *
 * @module
 */
import { join } from "node:path";
import { entriesIn } from "../../lib/missing_files.ts";
import { isBackupPath } from "./backup_layout.ts";

/**
 * Yields the files below a folder as paths with forward slashes, in order. Yields none if the
 * folder is missing.
 */
export async function* filesBelow(folder: string, prefix: string): AsyncGenerator<string> {
  for (const { name, isDirectory, isFile } of await entriesIn(folder)) {
    const path = `${prefix}/${name}`;
    if (isDirectory) yield* filesBelow(join(folder, name), path);
    else if (isFile && isBackupPath(path)) yield path;
  }
}
