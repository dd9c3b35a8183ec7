/**
 * A project's folder as detection looks at it: single files by name.
 *
 * @module
 */
import { join } from "node:path";
import { decodeFile } from "../lib/utf8.ts";
import type { OutputProbe, ProjectReader } from "../manifest/mod.ts";

/** Largest file that detection reads, in bytes; package locks can be this long. */
const MAX_TEXT = 16 * 1024 * 1024;

async function stat(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(path);
  } catch {
    return undefined;
  }
}

/**
 * Reads below `directory`; whatever is missing, unreadable or too large counts as not there.
 * What is not UTF-8 is refused with a `NotUtf8Error`.
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
    isDirectory: async (path) => (await at(path))?.isDirectory === true,
    isFile: async (path) => (await at(path))?.isFile === true,
  };
}
