/**
 * The folders of the sockets of database processes. They are in the system's temporary folder,
 * as paths of sockets are short; a process that is killed leaves its folder.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Digits that tell the folders of one engine from those of others. */
const OWNER_DIGITS = 16;

/** What the names of an engine's folders begin with, by the folder that holds its branches. */
export async function socketPrefix(databases: string): Promise<string> {
  const { dev, ino } = await Deno.stat(databases);
  const owner = createHash("sha256").update(`${dev} ${ino} ${await Deno.realPath(databases)}`);
  return `svc-db-${owner.digest("hex").slice(0, OWNER_DIGITS)}-`;
}

/**
 * Removes the folders that an earlier platform on the same data directory left. Call it before
 * a database starts, by the process that holds the lock of the directory.
 */
export async function removeSocketFolders(databases: string): Promise<void> {
  const isThere = await Deno.stat(databases).then(() => true, () => false);
  if (!isThere) return;
  const prefix = await socketPrefix(databases);
  for (const { name, isDirectory } of await Array.fromAsync(Deno.readDir(tmpdir()))) {
    if (!isDirectory || !name.startsWith(prefix)) continue;
    await Deno.remove(join(tmpdir(), name), { recursive: true }).catch(() => {});
  }
}
