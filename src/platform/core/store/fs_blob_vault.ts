/** The blobs of all workspaces, with a folder under `<root>` for each workspace. @module */
import { join } from "node:path";
import { describeFileFault } from "../../../lib/file_fault.ts";
import { ifMissing } from "../../../lib/missing_files.ts";
import { isUuid } from "../../../lib/ids.ts";
import type { BlobStore, BlobVault } from "./blob_store.ts";
import { describeDamage, FsBlobStore } from "./fs_blob_store.ts";
import { StoreUnusableError } from "./open_kv.ts";

/** Folder for unfinished writes; emptied at startup. */
const INCOMING = "incoming";

/** Folder for blobs that were found to be damaged. These blobs are no longer served. */
const DAMAGED = "damaged";

/**
 * Deletes unfinished writes. @param owner the node whose writes are deleted, if several nodes share
 * the folder.
 */
export async function prepareIncoming(root: string, owner?: string): Promise<string> {
  const incoming = join(root, INCOMING, owner ?? "");
  try {
    // Keeps the folder itself, which could not be created again on a full disk.
    await Deno.mkdir(incoming, { recursive: true, mode: 0o700 });
    for await (const { name } of Deno.readDir(incoming)) {
      await Deno.remove(join(incoming, name), { recursive: true });
    }
  } catch (cause) {
    const reason = describeFileFault(cause);
    throw new StoreUnusableError(`Cannot use the blob folder ${root}: ${reason}`, { cause });
  }
  return incoming;
}

/** @throws {StoreUnusableError} if the folder cannot be written. */
export async function openFsBlobVault(
  root: string,
  options: {
    /** This node's ID, if other nodes use the same folder. */
    readonly owner?: string | undefined;
    /**
     * A monotonic clock in milliseconds. If set, a check of a file remains valid for a few seconds.
     */
    readonly monotonic?: (() => number) | undefined;
    onDamaged?(message: string): void;
  } = {},
): Promise<BlobVault> {
  const incoming = await prepareIncoming(root, options.owner);
  const stores = new Map<string, BlobStore>();
  /** Blobs that were looked up since the last sweep started. These blobs may soon be recorded. */
  let used = new Set<string>();
  return {
    of(workspaceId) {
      if (!isUuid(workspaceId)) throw new TypeError(`Not a workspace ID: ${workspaceId}`);
      let store = stores.get(workspaceId);
      if (store === undefined) {
        store = new FsBlobStore({
          root: join(root, workspaceId),
          incoming,
          monotonic: options.monotonic,
          isShared: options.owner !== undefined,
          damaged: join(root, DAMAGED, workspaceId),
          onUse: (sha256) => used.add(`${workspaceId}/${sha256}`),
          onDamaged: (sha256, movedTo) =>
            options.onDamaged?.(describeDamage(sha256, { workspaceId, movedTo })),
        });
        stores.set(workspaceId, store);
      }
      return store;
    },
    async *list() {
      for await (const { workspaceId, sha256, path } of listBlobs(root)) {
        const found = await Deno.stat(path).catch(ifMissing);
        if (found !== undefined) yield { workspaceId, sha256, size: found.size };
      }
    },
    async countWorkspaces() {
      let count = 0;
      for await (const { name, isDirectory } of Deno.readDir(root)) {
        if (isDirectory && isUuid(name)) count++;
      }
      return count;
    },
    problem: () => undefined,
    close: () => {},
    async sweep({ mark, lease, minAgeMs, now }) {
      const usedBefore = used;
      used = new Set();
      let removed = 0;
      const isNeeded = await mark();
      for await (const blob of listBlobs(root)) {
        const key = `${blob.workspaceId}/${blob.sha256}`;
        if (isNeeded(blob.workspaceId, blob.sha256)) continue;
        await lease.requireHeld();
        const written = Deno.statSync(blob.path).mtime?.getTime() ?? now;
        if (now - written < minAgeMs || usedBefore.has(key) || used.has(key)) continue;
        Deno.removeSync(blob.path);
        removed++;
      }
      return removed;
    },
  };
}

async function* listBlobs(
  root: string,
): AsyncGenerator<{ workspaceId: string; sha256: string; path: string }> {
  for await (const workspace of Deno.readDir(root)) {
    if (!isUuid(workspace.name)) continue;
    for await (const folder of Deno.readDir(join(root, workspace.name))) {
      for await (const blob of Deno.readDir(join(root, workspace.name, folder.name))) {
        yield {
          workspaceId: workspace.name,
          sha256: blob.name,
          path: join(root, workspace.name, folder.name, blob.name),
        };
      }
    }
  }
}
