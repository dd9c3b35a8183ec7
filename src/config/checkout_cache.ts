/**
 * @module The cache of a checkout: files in `.svc/cache/` at the project's root, which git ignores.
 * Each file can be removed at any time. Damaged or inaccessible files are ignored.
 */
import { join } from "node:path";
import type * as z from "zod";
import { sha256Hex } from "../lib/hash.ts";
import { readTextFile } from "../lib/utf8.ts";

/** Path of the folder, relative to the project's root. */
export const CACHE_PATH = ".svc/cache";

/**
 * Maximum size of a file to read, in bytes. The limit is enough for a checkout with 100,000 files.
 */
const MAX_BYTES = 64 * 1024 * 1024;

/** Length of the first line, which is the SHA-256 of the remaining text. */
const DIGEST_LENGTH = 64;

/** Ignores failures caused by the file or its content. Programming errors are thrown. */
async function unlessItFails<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) throw error;
    return undefined;
  }
}

/** Reads a value from the cache. Returns `undefined` if there is none that matches `schema`. */
export async function readCheckoutCache<T>(
  root: string,
  name: string,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  return await unlessItFails(async () => {
    const path = join(root, CACHE_PATH, name);
    const { isFile, size } = await Deno.lstat(path);
    if (!isFile || size > MAX_BYTES) return undefined;
    const text = await readTextFile(path);
    const content = text.slice(DIGEST_LENGTH + 1);
    if (text.slice(0, DIGEST_LENGTH) !== sha256Hex(content)) return undefined;
    return schema.safeParse(JSON.parse(content)).data;
  });
}

/** Creates the folder, with a file that makes git ignore it. */
async function prepareFolder(root: string): Promise<string | undefined> {
  const folder = join(root, CACHE_PATH);
  await Deno.mkdir(folder, { recursive: true });
  // A link in the checkout could point to files that do not belong to svc.
  if (await Deno.realPath(folder) !== join(await Deno.realPath(root), CACHE_PATH)) return undefined;
  await Deno.writeTextFile(join(folder, ".gitignore"), "*\n", { createNew: true })
    .catch(() => undefined);
  return folder;
}

/** Writes a value to the cache. Readers see either the previous value or this one. */
export async function writeCheckoutCache(
  root: string,
  name: string,
  value: unknown,
): Promise<void> {
  await unlessItFails(async () => {
    const folder = await prepareFolder(root);
    if (folder === undefined) return;
    const content = JSON.stringify(value);
    const temporary = join(folder, `${name}.${crypto.randomUUID()}.tmp`);
    try {
      await Deno.writeTextFile(temporary, `${sha256Hex(content)}\n${content}`, { createNew: true });
      await Deno.rename(temporary, join(folder, name));
    } catch (error) {
      await Deno.remove(temporary).catch(() => {});
      throw error;
    }
  });
}
