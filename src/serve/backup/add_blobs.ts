/**
 * Adds blobs from a folder or object storage to a backup, oldest first. New blobs are therefore at
 * the end of the next backup, and all earlier parts can be shared.
 *
 * @module
 */
import { join } from "node:path";
import { isS3Place } from "../../lib/is_s3_place.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Environment } from "../../lib/network_variables.ts";
import type { ArchiveWriter } from "./archive_writer.ts";
import { BLOBS } from "./backup_layout.ts";
import { filesBelow } from "./files_below.ts";

interface FoundBlob {
  /** Path in the archive. */
  readonly path: string;
  readonly writtenAt: number;
}

const byAge = (one: FoundBlob, other: FoundBlob): number =>
  one.writtenAt - other.writtenAt || (one.path < other.path ? -1 : 1);

/** Adds the blobs that are not in the archive yet. Can be called repeatedly. */
export type AddBlobs = () => Promise<void>;

interface BlobsOptions {
  readonly archive: ArchiveWriter;
  /** Folder for temporary files. */
  readonly folder: string;
  readonly env: Environment;
}

interface BlobAdder {
  readonly add: AddBlobs;
  close(): void;
}

/** @param place a folder, or a URL of object storage */
export async function openBlobAdder(place: string, options: BlobsOptions): Promise<BlobAdder> {
  if (isS3Place(place)) return await storageAdder(place, options);
  return { add: () => addFromFolder(place, options.archive), close() {} };
}

async function addFromFolder(root: string, archive: ArchiveWriter): Promise<void> {
  const found: FoundBlob[] = [];
  const fileOf = (path: string) => join(root, path.slice(BLOBS.length + 1));
  for await (const { name, isDirectory } of Deno.readDir(root)) {
    if (!isDirectory || !isUuid(name)) continue;
    for await (const path of filesBelow(join(root, name), `${BLOBS}/${name}`)) {
      if (archive.has(path)) continue;
      const info = await Deno.stat(fileOf(path)).catch(() => undefined);
      if (info !== undefined) found.push({ path, writtenAt: info.mtime?.getTime() ?? 0 });
    }
  }
  for (const { path } of found.sort(byAge)) await archive.addFile(path, fileOf(path));
}

async function storageAdder(
  place: string,
  { archive, folder, env }: BlobsOptions,
): Promise<BlobAdder> {
  const { listObjects, objectKey, openS3Bucket } = await import("../../platform/core/s3/mod.ts");
  const { bucket, close } = await openS3Bucket(place, env);
  const fetched = join(folder, "blob");
  const fetch = (key: string) =>
    bucket.get(key, async (content) => {
      const file = await Deno.open(fetched, { write: true, create: true, truncate: true });
      await content.pipeTo(file.writable);
      return true;
    });
  return {
    async add() {
      const found: (FoundBlob & { readonly key: string })[] = [];
      for await (const { workspaceId, sha256, writtenAt } of listObjects(bucket)) {
        const path = `${BLOBS}/${workspaceId}/${sha256.slice(0, 2)}/${sha256}`;
        if (archive.has(path)) continue;
        found.push({ path, writtenAt, key: objectKey(workspaceId, sha256) });
      }
      for (const { path, key } of found.sort(byAge)) {
        // A missing blob has been deleted in the meantime.
        if (await fetch(key) === true) await archive.addFile(path, fetched);
      }
      await Deno.remove(fetched).catch(() => {});
    },
    close,
  };
}
