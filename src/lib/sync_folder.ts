/** @module Flushes folders to disk, so renames in them survive a power failure. */
import { dirname, join } from "node:path";
import pMap from "p-map";

/** Number of files that are flushed at the same time. The disk's journal combines such flushes. */
const AT_A_TIME = 16;

/** Flushes the names in a folder. Windows has no call for this, but flushes names by itself. */
export async function syncFolder(folder: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  using opened = await Deno.open(folder);
  await opened.sync();
}

async function syncFile(path: string): Promise<void> {
  // Windows flushes only files that are open for writing. Elsewhere, a file can be read-only, such
  // as git's packs.
  using file = await Deno.open(path, { read: true, write: Deno.build.os === "windows" });
  await file.sync();
}

/** Renames a file or folder durably: it keeps its new name after a power failure. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await Deno.rename(from, to);
  await syncFolder(dirname(to));
}

/** Flushes a folder with all files and folders below it. */
export async function syncTree(folder: string): Promise<void> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  const files = entries.filter(({ isFile }) => isFile);
  await pMap(files, ({ name }) => syncFile(join(folder, name)), { concurrency: AT_A_TIME });
  for (const { name, isDirectory } of entries) {
    if (isDirectory) await syncTree(join(folder, name));
  }
  await syncFolder(folder);
}
