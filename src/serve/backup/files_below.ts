/**
 * The files below a folder that belong in a backup.
 *
 * @module
 */
import { join } from "node:path";
import { isBackupPath } from "./backup_layout.ts";

/** Yields the files below a folder as paths with forward slashes, in order; none if it is missing. */
export async function* filesBelow(folder: string, prefix: string): AsyncGenerator<string> {
  let entries: Deno.DirEntry[];
  try {
    entries = await Array.fromAsync(Deno.readDir(folder));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  entries.sort((one, other) => one.name < other.name ? -1 : 1);
  for (const { name, isDirectory, isFile } of entries) {
    const path = `${prefix}/${name}`;
    if (isDirectory) yield* filesBelow(join(folder, name), path);
    else if (isFile && isBackupPath(path)) yield path;
  }
}
