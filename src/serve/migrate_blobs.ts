/**
 * Moves the blobs of a platform from a folder to an object storage, or the other way. What
 * was moved stays moved when it is interrupted: a repeated call goes on.
 *
 * @module
 */
import { join } from "node:path";
import pMap from "p-map";
import { systemClock } from "../lib/clock.ts";
import { isS3Place } from "../lib/is_s3_place.ts";
import type { Environment } from "../lib/network_variables.ts";
import {
  BlobDamagedError,
  BlobMismatchError,
  type BlobVault,
  type DataDir,
  openDataDir,
  openFsBlobVault,
  openKv,
  type StoredBlob,
} from "../platform/core/store/mod.ts";
import { Closers } from "./closers.ts";
import { readKnownMark } from "./settle_format.ts";

/** Blobs that are moved at the same time. */
const PARALLEL = 8;

/** Disk for files on their way, in bytes. */
const CACHE_BYTES = 1024 ** 3;

/** The blobs of the target are not those of the source. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

export interface MigrationOptions {
  /** The data directory of the platform, on which none may be running. */
  readonly dataDir: string;
  /** Place of the key-value store; in the data directory by default. */
  readonly kv?: string;
  /** Folder or address of an object storage; the folder in the data directory by default. */
  readonly from?: string;
  readonly to?: string;
  /** Where access keys are. */
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Called for each blob that is dealt with. */
  onProgress(blob: StoredBlob): void;
  /** Called with messages for the operator. */
  onTrouble(message: string): void;
}

export interface MigrationReport {
  /** Blobs of the source, all of which are in the target. */
  readonly blobs: number;
  /** Their size together. */
  readonly bytes: number;
  /** Those that were not there before. */
  readonly copied: number;
}

async function openVault(
  place: string,
  { env, onTrouble }: MigrationOptions,
  { kv, dataDir }: { readonly kv: Deno.Kv; readonly dataDir: DataDir },
): Promise<BlobVault> {
  const messages = { onTrouble, onDamaged: onTrouble };
  if (!isS3Place(place)) {
    await Deno.mkdir(place, { recursive: true, mode: 0o700 });
    return await openFsBlobVault(place, messages);
  }
  const { openS3BlobVault } = await import("../platform/core/s3/mod.ts");
  const cache = join(dataDir.cache, "blobs");
  const own = { cache, cacheBytes: CACHE_BYTES, now: systemClock };
  return await openS3BlobVault({ place, env, kv, ...own, ...messages });
}

/** Copies a blob unless it is there; undefined where the source's is damaged. */
async function copyBlob(
  { workspaceId, sha256, size }: StoredBlob,
  { from, to }: { readonly from: BlobVault; readonly to: BlobVault },
): Promise<"there" | "copied" | "damaged"> {
  const target = to.of(workspaceId);
  if (await target.verify(sha256) === size) return "there";
  try {
    const content = await from.of(workspaceId).stream(sha256);
    await target.putStream(sha256, content, { maxBytes: size });
    return "copied";
  } catch (error) {
    if (error instanceof BlobMismatchError || error instanceof BlobDamagedError) return "damaged";
    throw error;
  }
}

const nameOf = ({ workspaceId, sha256 }: StoredBlob): string => `${workspaceId}/${sha256}`;

/** Reads the target anew: what its list has counts, not what was sent. */
async function checkAll(wanted: Map<string, number>, to: BlobVault): Promise<void> {
  for await (const blob of to.list()) {
    if (wanted.get(nameOf(blob)) === blob.size) wanted.delete(nameOf(blob));
  }
  if (wanted.size === 0) return;
  const [first] = wanted.keys();
  throw new MigrationError(
    `Cannot finish: ${wanted.size} blobs are not in the target, such as ${first}. Run it again`,
  );
}

/**
 * Copies all blobs, each checked against its hash, and counts them in the target. The
 * source is left as it is.
 *
 * @throws {DataDirInUseError} while a platform runs on the data directory.
 * @throws {DataNewerError} where a newer program has written it.
 * @throws {StoreUnusableError} where a place cannot be used.
 * @throws {MigrationError} where blobs of the source are damaged, or the target has not all.
 */
export async function migrateBlobs(options: MigrationOptions): Promise<MigrationReport> {
  const closers = new Closers();
  const dataDir = await openDataDir(options.dataDir);
  closers.add({ close: () => dataDir.release() });
  try {
    await readKnownMark(options.dataDir);
    const kv = closers.add(await openKv(options.kv ?? dataDir.kv, options.env));
    const { from: source = dataDir.blobs, to: target = dataDir.blobs } = options;
    if (source === target) throw new TypeError("Cannot move blobs: both places are the same");
    const from = closers.add(await openVault(source, options, { kv, dataDir }));
    const to = closers.add(await openVault(target, options, { kv, dataDir }));
    return await moveAll(options, { from, to });
  } finally {
    await closers.close();
  }
}

async function moveAll(
  { signal, onProgress }: MigrationOptions,
  { from, to }: { readonly from: BlobVault; readonly to: BlobVault },
): Promise<MigrationReport> {
  const wanted = new Map<string, number>();
  const damaged: string[] = [];
  let [copied, bytes] = [0, 0];
  await pMap(from.list(), async (blob) => {
    signal.throwIfAborted();
    const outcome = await copyBlob(blob, { from, to });
    if (outcome === "damaged") return void damaged.push(nameOf(blob));
    wanted.set(nameOf(blob), blob.size);
    bytes += blob.size;
    if (outcome === "copied") copied++;
    onProgress(blob);
  }, { concurrency: PARALLEL });
  const blobs = wanted.size;
  await checkAll(wanted, to);
  if (damaged.length === 0) return { blobs, bytes, copied };
  throw new MigrationError(
    `Moved ${blobs} blobs, and not ${damaged.length} that are damaged: ${damaged[0]}. Deploy the ` +
      "same content again, or restore them from a backup",
  );
}
