/**
 * Copies blobs between a folder and object storage. If a call is interrupted, another call
 * continues the copy.
 * @module
 */
import { join } from "node:path";
import pMap from "p-map";
import { describeFileFault, isFileFault } from "../../lib/file_fault.ts";
import { systemClock } from "../../lib/clock.ts";
import { formatCount } from "../../lib/format.ts";
import { isS3Place } from "../../lib/is_s3_place.ts";
import type { Environment } from "../../lib/network_variables.ts";
import {
  BlobDamagedError,
  BlobMismatchError,
  type BlobVault,
  openFsBlobVault,
  type StoredBlob,
} from "../../platform/core/store/mod.ts";
import { MigrationError } from "./migration_error.ts";
import type { Amount, FilesReport, Watch } from "./migration_options.ts";
import type { RecordStore } from "../../store/mod.ts";

/** Maximum number of blobs that are copied at the same time. */
const PARALLEL = 8;

/** Size limit of the cache for files that are being moved, in bytes. */
const CACHE_BYTES = 1024 ** 3;

interface VaultOptions {
  readonly env: Environment;
  readonly kv: RecordStore;
  /** Folder for temporary files. */
  readonly cache: string;
  onTrouble(message: string): void;
}

/** @throws {StoreUnusableError} if the storage rejects the access keys or has no such bucket. */
export async function openVault(
  place: string,
  { env, kv, cache: folder, onTrouble }: VaultOptions,
): Promise<BlobVault> {
  const messages = { onTrouble, onDamaged: onTrouble };
  if (!isS3Place(place)) {
    await Deno.mkdir(place, { recursive: true, mode: 0o700 });
    return await openFsBlobVault(place, messages);
  }
  const { openS3BlobVault } = await import("../../platform/core/s3/mod.ts");
  const own = { cache: join(folder, "blobs"), cacheBytes: CACHE_BYTES, now: systemClock };
  return await openS3BlobVault({ place, env, kv, ...own, ...messages });
}

/** Copies a blob unless the target already has it. */
async function copyBlob(
  { workspaceId, sha256, size }: StoredBlob,
  { from, to }: Vaults,
): Promise<"there" | "copied" | "damaged"> {
  const target = to.of(workspaceId);
  if (await target.verify(sha256) === size) return "there";
  try {
    const content = await from.of(workspaceId).stream(sha256);
    await target.putStream(sha256, content, { maxBytes: size });
    return "copied";
  } catch (error) {
    if (error instanceof BlobMismatchError || error instanceof BlobDamagedError) return "damaged";
    if (!isFileFault(error)) throw error;
    throw new MigrationError(
      `Cannot copy the file ${nameOf({ workspaceId, sha256 })}: ${describeFileFault(error)}. ` +
        "Copied data is kept. Fix the cause and run the command again to continue",
      { cause: error },
    );
  }
}

const nameOf = ({ workspaceId, sha256 }: Omit<StoredBlob, "size">): string =>
  `${workspaceId}/${sha256}`;

/** Checks that the target lists all blobs. Only its own list proves that they have arrived. */
async function checkAll(wanted: Map<string, number>, to: BlobVault): Promise<void> {
  for await (const blob of to.list()) {
    if (wanted.get(nameOf(blob)) === blob.size) wanted.delete(nameOf(blob));
  }
  if (wanted.size === 0) return;
  const [first] = wanted.keys();
  throw new MigrationError(
    `Cannot finish: the target is missing ${formatCount(wanted.size, "file")}, ` +
      `for example ${first}. Run the command again`,
  );
}

interface Vaults {
  readonly from: BlobVault;
  readonly to: BlobVault;
}

export async function surveyFiles(from: BlobVault): Promise<Amount> {
  let [files, bytes] = [0, 0];
  for await (const { size } of from.list()) {
    files++;
    bytes += size;
  }
  return { files, bytes };
}

export async function hasFiles(vault: BlobVault): Promise<boolean> {
  for await (const _ of vault.list()) return true;
  return false;
}

/**
 * Returns the number and total size of the blobs if source and target list the same ones; otherwise
 * `undefined`.
 */
export async function compareFiles(
  { from, to }: Vaults,
): Promise<Pick<FilesReport, "blobs" | "bytes"> | undefined> {
  const wanted = new Map<string, number>();
  let bytes = 0;
  for await (const blob of from.list()) {
    wanted.set(nameOf(blob), blob.size);
    bytes += blob.size;
  }
  const blobs = wanted.size;
  for await (const blob of to.list()) {
    if (wanted.get(nameOf(blob)) !== blob.size) return undefined;
    wanted.delete(nameOf(blob));
  }
  return wanted.size === 0 ? { blobs, bytes } : undefined;
}

/**
 * Copies blobs and checks that all are in the target. @throws {MigrationError} if blobs are damaged
 * or missing.
 */
export async function moveFiles(
  { from, to }: Vaults,
  { signal, onProgress }: Watch,
): Promise<FilesReport> {
  const wanted = new Map<string, number>();
  const damaged: string[] = [];
  let [copied, bytes] = [0, 0];
  await pMap(from.list(), async (blob) => {
    signal.throwIfAborted();
    const outcome = await copyBlob(blob, { from, to });
    onProgress({ files: 1, bytes: blob.size });
    if (outcome === "damaged") return void damaged.push(nameOf(blob));
    wanted.set(nameOf(blob), blob.size);
    bytes += blob.size;
    if (outcome === "copied") copied++;
  }, { concurrency: PARALLEL });
  const blobs = wanted.size;
  await checkAll(wanted, to);
  if (damaged.length === 0) return { blobs, bytes, copied };
  throw new MigrationError(
    `Moved ${blobs} files; skipped ${damaged.length} that are damaged in the source, for example ` +
      `${damaged[0]}. Start the platform on the source and deploy the same content again, or ` +
      "restore the files from a backup, then run this again to continue",
  );
}
