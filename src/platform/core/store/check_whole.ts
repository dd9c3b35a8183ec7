/**
 * Checks that the parts of a data directory belong together: a platform that
 * started afresh beside the remains of another would lose them for good.
 *
 * @module
 */
import { isUuid } from "../../../lib/ids.ts";
import { isStoreEmpty } from "./portable_kv.ts";

/** A part of the platform's data is missing. */
export class DataIncompleteError extends Error {
  override readonly name = "DataIncompleteError";
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, (error) => {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  });
}

/** Workspaces that have blobs. */
async function countWorkspaces(blobs: string): Promise<number> {
  let count = 0;
  for await (const { name, isDirectory } of Deno.readDir(blobs)) {
    if (isDirectory && isUuid(name)) count++;
  }
  return count;
}

/**
 * Makes sure that neither the keys nor the records are missing while the rest
 * is there.
 *
 * @throws {DataIncompleteError} saying what is missing and how to go on.
 */
export async function checkWhole(
  kv: Deno.Kv,
  places: { readonly kv: string; readonly blobs: string; readonly keys: string },
): Promise<void> {
  if (!await isStoreEmpty(kv)) {
    if (await exists(places.keys)) return;
    throw new DataIncompleteError(
      `Cannot start without ${places.keys}: the key-value store ${places.kv} holds secrets that ` +
        "were encrypted with its keys. Restore the file from a backup, or, where several nodes " +
        "share the store, copy it from another one (--keys-file names it)",
    );
  }
  const workspaces = await countWorkspaces(places.blobs);
  if (workspaces === 0) return;
  throw new DataIncompleteError(
    `Cannot start: the key-value store ${places.kv} is empty, but ${places.blobs} holds the files ` +
      `of ${workspaces} workspace(s). Restore the store from the backup, or, to start afresh ` +
      `without them, move ${places.blobs} away`,
  );
}
