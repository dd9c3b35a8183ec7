/**
 * The folder for the sockets of running servers: in the data directory or, if its path is too long
 * for a socket, in the system's temporary folder, with a link so that the next start finds
 * leftovers of a crash.
 *
 * @module
 */
import { basename, join } from "node:path";
import { removeTree } from "../../lib/missing_files.ts";
import { SOCKET_PATH_BYTES } from "../../runtime/mod.ts";

/** Maximum length of a path of a Unix socket in bytes, without the trailing zero (unix(7)). */
const MAX_SOCKET_PATH = 107;

const ELSEWHERE_PREFIX = "svc-run-";

/** Whether the path is short enough for sockets in this folder. */
export function hasRoomForSockets(folder: string): boolean {
  return new TextEncoder().encode(folder).byteLength + SOCKET_PATH_BYTES <= MAX_SOCKET_PATH;
}

/** Removes the folder, wherever it is, with everything in it. */
export async function removeRunFolder(dataDir: string): Promise<void> {
  const path = join(dataDir, "run");
  const elsewhere = await Deno.readLink(path).catch(() => undefined);
  if (elsewhere !== undefined && basename(elsewhere).startsWith(ELSEWHERE_PREFIX)) {
    await removeTree(elsewhere);
  }
  await removeTree(path);
}

/** Recreates the folder, only readable by its owner; returns its path without links. */
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
