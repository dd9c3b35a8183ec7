/**
 * The folder for the sockets of running servers, which is in the data directory. If that path is
 * too long for a socket, the folder is in the system's temporary folder instead. A link in the data
 * directory then lets the next start find leftovers from a crash.
 *
 * @module
 */
import { basename, join } from "node:path";
import { removeTree } from "../../lib/missing_files.ts";
import { SOCKET_PATH_BYTES } from "../../runtime/mod.ts";

/** Maximum length of a Unix socket's path, in bytes and without the trailing NUL (unix(7)). */
const MAX_SOCKET_PATH = 107;

const ELSEWHERE_PREFIX = "svc-run-";

/** Returns whether the folder's path is short enough for sockets in it. */
export function hasRoomForSockets(folder: string): boolean {
  return new TextEncoder().encode(folder).byteLength + SOCKET_PATH_BYTES <= MAX_SOCKET_PATH;
}

/** Removes the folder and everything in it, regardless of its location. */
export async function removeRunFolder(dataDir: string): Promise<void> {
  const path = join(dataDir, "run");
  const elsewhere = await Deno.readLink(path).catch(() => undefined);
  if (elsewhere !== undefined && basename(elsewhere).startsWith(ELSEWHERE_PREFIX)) {
    await removeTree(elsewhere);
  }
  await removeTree(path);
}

/** Recreates the folder, readable only by its owner. Returns its path with links resolved. */
export async function makeRunFolder(dataDir: string): Promise<string> {
  await removeRunFolder(dataDir);
  const path = join(dataDir, "run");
  if (hasRoomForSockets(path)) {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
    return await Deno.realPath(path);
  }
  const elsewhere = await Deno.realPath(await Deno.makeTempDir({ prefix: ELSEWHERE_PREFIX }));
  await Deno.symlink(elsewhere, path);
  return elsewhere;
}
