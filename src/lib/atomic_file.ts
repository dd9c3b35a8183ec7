/** @module Writes files atomically: after a crash, a file has either the old or the new content. */
import { dirname } from "node:path";
import { withPath } from "./file_fault.ts";
import { renameDurably } from "./sync_folder.ts";

interface WriteOptions {
  /** Permission bits of the new file; if missing, the system's default. */
  readonly mode?: number;
}

/** Writes all bytes to a file. */
export async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.byteLength;) {
    offset += await file.write(bytes.subarray(offset));
  }
}

/** Writes a temporary file next to `path`, flushes it to disk, and renames it to `path`. */
export async function writeFileAtomically(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  await Deno.mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    const file = await Deno.open(temporary, { write: true, createNew: true, ...options });
    try {
      await writeAll(file, bytes);
      await file.sync();
    } finally {
      file.close();
    }
    await renameDurably(temporary, path);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw withPath(error, path);
  }
}
