/** Rejects a data directory whose parts do not belong together, before data is lost. @module */
import * as z from "zod";
import { ifMissing } from "../../../lib/missing_files.ts";
import type { BlobVault } from "./blob_store.ts";
import { keys } from "./keys.ts";
import { isStoreEmpty } from "./portable_store.ts";
import type { RecordStore } from "../../../store/mod.ts";

export class DataIncompleteError extends Error {
  override readonly name = "DataIncompleteError";
}

/** The destination of the move, if only files are being moved. */
const filesMove = z.object({ to: z.string() });

/** Returns whether files are still being moved to this location. */
async function isHalfMoved(kv: RecordStore, blobs: string): Promise<boolean> {
  const { value } = await kv.get(keys.meta("files-move"));
  return filesMove.safeParse(value).data?.to === blobs;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).catch(ifMissing) !== undefined;
}

/** @throws {DataIncompleteError} if keys or records are missing, or a move is incomplete. */
export async function checkWhole(
  parts: { readonly kv: RecordStore; readonly vault: Pick<BlobVault, "countWorkspaces"> },
  places: { readonly kv: string; readonly blobs: string; readonly keys: string },
): Promise<void> {
  const { kv, vault } = parts;
  if ((await kv.get(keys.meta("move"))).versionstamp !== null) {
    throw new DataIncompleteError(
      `Cannot start: a move to the key-value store ${places.kv} is incomplete. Run the same svc migrate-store command again, or start with the previous locations`,
    );
  }
  if (await isHalfMoved(kv, places.blobs)) {
    throw new DataIncompleteError(
      `Cannot start: a move of the files to ${places.blobs} is incomplete. Run the same svc migrate-store command again, or start with the previous location of the files`,
    );
  }
  if (!await isStoreEmpty(kv)) {
    if (await exists(places.keys)) return;
    throw new DataIncompleteError(
      `Cannot start without ${places.keys}: the key-value store ${places.kv} has secrets that were encrypted with its keys. Restore the file from a backup, or copy it from another node and set it with --keys-file`,
    );
  }
  const workspaces = await vault.countWorkspaces();
  if (workspaces === 0) return;
  throw new DataIncompleteError(
    `Cannot start: the key-value store ${places.kv} is empty, but ${places.blobs} has the files of ${workspaces} workspace(s). Restore the store from a backup. To start over without them, move ${places.blobs} away`,
  );
}
