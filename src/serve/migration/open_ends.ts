/**
 * Opens the source and target of a move. The data directories are locked, so that no platform can
 * start on them.
 *
 * @module
 */
import { basename, dirname, join, resolve } from "node:path";
import {
  type BlobVault,
  type DataDir,
  lockIfDataDir,
  openDataDir,
  placeName,
} from "../../platform/core/store/mod.ts";
import { isS3Place } from "../../lib/is_s3_place.ts";
import { isStoreUrl } from "../../store/mod.ts";
import type { Closers } from "../closers.ts";
import { requireFormat } from "../settle_format.ts";
import { MigrationError } from "./migration_error.ts";
import type { Ends, MigrationOptions } from "./migration_options.ts";
import { openVault } from "./move_files.ts";
import type { Places } from "./move_mark.ts";
import { type MovedStore, openRecords } from "./record_store.ts";

export interface Opened {
  readonly dataDir: DataDir;
  readonly move: Places;
  readonly from: MovedStore;
  /** Location of the source records, for messages. */
  readonly source: string;
  /** The target store; `undefined` if records are not moved. */
  readonly to: MovedStore | undefined;
  readonly vaults: { readonly from: BlobVault; readonly to: BlobVault } | undefined;
}

const isPath = (place: string): boolean => !isStoreUrl(place) && !isS3Place(place);

/** Resolves the symbolic links in a path, even if its last parts do not exist. */
async function realPlace(place: string): Promise<string> {
  if (!isPath(place)) return place;
  const path = resolve(place);
  const whole = await Deno.realPath(path).catch(() => undefined);
  if (whole !== undefined || dirname(path) === path) return whole ?? path;
  return join(await realPlace(dirname(path)), basename(path));
}

async function endsOf(ends: Ends | undefined, own: string) {
  if (ends === undefined) return undefined;
  const { from = own, to = own } = ends;
  if (await realPlace(from) !== await realPlace(to)) return { from, to };
  throw new TypeError(
    `Cannot move anything: the source and the target are both ${placeName(from)}`,
  );
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

/**
 * Locks the data directories of the source and the target, except the one that is already locked.
 */
async function lockOthers(
  { root }: DataDir,
  places: readonly string[],
  closers: Closers,
): Promise<void> {
  const real = await Promise.all(places.filter(isPath).map(realPlace));
  const folders = new Set(real.map((place) => dirname(place)));
  folders.delete(await realPlace(root));
  for (const folder of folders) {
    const lock = await lockIfDataDir(folder);
    closers.add({ close: () => lock[Symbol.dispose]() });
  }
}

/** @throws {DataDirInUseError | StoreUnusableError} */
export async function openEnds(options: MigrationOptions, closers: Closers): Promise<Opened> {
  const { env, dryRun = false, onTrouble } = options;
  const dataDir = await openDataDir(options.dataDir);
  closers.add({ close: () => dataDir.release() });
  await requireFormat(options.dataDir);
  const records = await endsOf(options.records, options.kv ?? dataDir.kv);
  const files = await endsOf(options.files, dataDir.blobs);
  const source = records?.from ?? options.kv ?? dataDir.kv;
  const places = [source, records?.to, files?.from, files?.to].filter((place) =>
    place !== undefined
  );
  await lockOthers(dataDir, places, closers);
  if (!isStoreUrl(source) && !await exists(source)) {
    throw new MigrationError(
      `Cannot move the platform: ${source} does not exist. Set the data directory with ` +
        "--data-dir",
    );
  }
  if (dryRun && records !== undefined && !isStoreUrl(records.to) && !await exists(records.to)) {
    throw new MigrationError(`Cannot examine ${records.to} without creating it: omit --dry-run`);
  }
  const from = closers.add(await openRecords(source, env));
  const to = records === undefined ? undefined : closers.add(await openRecords(records.to, env));
  const vault = async (place: string, { kv }: MovedStore) =>
    closers.add(await openVault(place, { env, kv, cache: dataDir.cache, onTrouble }));
  const vaults = files === undefined
    ? undefined
    : { from: await vault(files.from, from), to: await vault(files.to, to ?? from) };
  const named = records && { from: placeName(records.from), to: placeName(records.to) };
  const move = { ...(named && { records: named }), ...(files && { files }) };
  return { dataDir, move, from, source: placeName(source), to, vaults };
}
