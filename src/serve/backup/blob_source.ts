/**
 * Reads all blobs in order to verify them, without changing anything.
 *
 * @module
 */
import { join } from "node:path";
import { ifMissing } from "../../lib/missing_files.ts";
import type { Environment } from "../../lib/network_variables.ts";
import { makeHeldFolder } from "../../lib/held_folders.ts";
import { isSha256 } from "../../lib/hash.ts";
import { isUuid } from "../../lib/ids.ts";
import { isS3Place } from "../../lib/is_s3_place.ts";
import { BlobDamagedError, blobPath } from "../../platform/core/store/mod.ts";
import type { RecordStore } from "../../store/mod.ts";

export interface BlobName {
  readonly workspaceId: string;
  readonly sha256: string;
}

export interface BlobSource extends AsyncDisposable {
  list(): AsyncIterable<BlobName>;
  /** Returns the content, or `undefined` if the blob is missing. */
  stream(blob: BlobName): Promise<ReadableStream<Uint8Array> | undefined>;
}

const names = async (folder: string): Promise<readonly string[]> =>
  (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);

async function* listFolder(root: string): AsyncGenerator<BlobName> {
  if (!await Deno.stat(root).then(() => true, () => false)) return;
  for (const workspaceId of (await names(root)).filter(isUuid)) {
    for (const part of await names(join(root, workspaceId))) {
      for (const sha256 of (await names(join(root, workspaceId, part))).filter(isSha256)) {
        yield { workspaceId, sha256 };
      }
    }
  }
}

function folderSource(root: string): BlobSource {
  return {
    list: () => listFolder(root),
    async stream({ workspaceId, sha256 }) {
      const file = await Deno.open(blobPath(join(root, workspaceId), sha256)).catch(ifMissing);
      return file?.readable;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function storageSource(
  place: string,
  { env, kv }: { readonly env: Environment; readonly kv: RecordStore },
): Promise<BlobSource> {
  const { openS3BlobVault } = await import("../../platform/core/s3/mod.ts");
  const folder = await makeHeldFolder("verify");
  const cache = join(folder.path, "blobs");
  await Deno.mkdir(cache);
  const vault = await openS3BlobVault({
    place,
    env,
    kv,
    cache,
    now: Date.now,
    onDamaged: () => {},
    onTrouble: () => {},
  });
  return {
    list: () => vault.list(),
    async stream({ workspaceId, sha256 }) {
      try {
        return await vault.of(workspaceId).stream(sha256);
      } catch (error) {
        if (error instanceof BlobDamagedError) return undefined;
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      await vault.settled();
      vault.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** @param place a folder, or the URL of object storage, which requires the records */
export async function openBlobSource(
  place: string,
  { env, kv }: { readonly env: Environment; readonly kv: RecordStore | undefined },
): Promise<BlobSource> {
  if (!isS3Place(place)) return folderSource(place);
  if (kv === undefined) throw new TypeError("Cannot read the object storage without records");
  return await storageSource(place, { env, kv });
}
