/** @module Reads individual files in a project's folder by name, for detection. */
import { join } from "node:path";
import { decodeFile } from "../lib/utf8.ts";
import type { OutputProbe, ProjectReader } from "../manifest/mod.ts";

/** Maximum size of a file that detection reads, in bytes. Lock files can be this large. */
const MAX_TEXT = 16 * 1024 * 1024;

/** Maximum number of files to list in one folder for detection. */
const MAX_LISTED = 200;
const MAX_DEPTH = 5;

/** Lists the files below a folder, starting with the files directly in it. */
async function listFiles(directory: string, depth = 0): Promise<string[]> {
  let entries: Deno.DirEntry[];
  try {
    entries = await Array.fromAsync(Deno.readDir(directory));
  } catch {
    return [];
  }
  const shown = entries
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .sort((left, right) => left.name < right.name ? -1 : 1);
  const files = shown.filter(({ isFile }) => isFile).map(({ name }) => name);
  if (depth === MAX_DEPTH) return files;
  for (const { name } of shown.filter(({ isDirectory }) => isDirectory)) {
    if (files.length >= MAX_LISTED) break;
    const inside = await listFiles(join(directory, name), depth + 1);
    files.push(...inside.map((path) => `${name}/${path}`));
  }
  return files.slice(0, MAX_LISTED);
}

async function stat(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(path);
  } catch {
    return undefined;
  }
}

/**
 * Reads files below `directory`. Missing, unreadable and oversized files count as absent. Reading a
 * file that is not UTF-8 throws a `NotUtf8Error`.
 */
export function createFolderReader(directory: string): ProjectReader & OutputProbe {
  const at = (path: string) => stat(join(directory, path));
  return {
    directory,
    async readText(path) {
      const info = await at(path);
      if (info?.isFile !== true || info.size > MAX_TEXT) return undefined;
      const bytes = await Deno.readFile(join(directory, path)).catch(() => undefined);
      return bytes === undefined ? undefined : decodeFile(bytes, path);
    },
    exists: async (path) => await at(path) !== undefined,
    list: (folder) => listFiles(join(directory, folder)),
    isDirectory: async (path) => (await at(path))?.isDirectory === true,
    isFile: async (path) => (await at(path))?.isFile === true,
  };
}
