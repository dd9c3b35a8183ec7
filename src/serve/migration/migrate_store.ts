/**
 * Moves a stopped platform: its records between a file and PostgreSQL, its blobs between a
 * folder and an object storage. The source is left as it is.
 *
 * @module
 */
import { join } from "node:path";
import { systemRandom } from "../../lib/clock.ts";
import { DATA_FORMAT, writeFormatMark } from "../../lib/data_format.ts";
import { readKeyIds } from "../../platform/core/secrets/mod.ts";
import {
  type BlobVault,
  type DataDir,
  markPortable,
  openDataDir,
  placeName,
} from "../../platform/core/store/mod.ts";
import { isStoreUrl } from "../../store/mod.ts";
import { Closers } from "../closers.ts";
import { requireFormat } from "../settle_format.ts";
import { MigrationError, StoreInUseError } from "./migration_error.ts";
import type { Ends, MigrationOptions, MigrationReport } from "./migration_options.ts";
import { hasFiles, moveFiles, openVault, surveyFiles } from "./move_files.ts";
import {
  beginMove,
  endMove,
  findMark,
  isSameMove,
  type Move,
  type Places,
  readMove,
} from "./move_mark.ts";
import { hasRecords, moveRecords, type Survey, surveyRecords } from "./move_records.ts";
import { openRecords, type RecordStore } from "./record_store.ts";

/** Data that is on one node, by its folder. */
const PER_NODE: Readonly<Record<string, string>> = {
  build_logs: "logs of builds: a node that is started there stores them for all",
  databases: "databases of the embedded engine: move them with svc db export and import",
  logs: "access logs",
  postgres: "databases of --postgres local: move them with svc db export and import",
  repositories:
    "repositories that were pushed: a node that is started there shares them, or push again",
};

interface Opened {
  readonly dataDir: DataDir;
  readonly move: Places;
  readonly from: RecordStore;
  /** Where records are moved. */
  readonly to: RecordStore | undefined;
  readonly vaults: { readonly from: BlobVault; readonly to: BlobVault } | undefined;
}

function endsOf(ends: Ends | undefined, own: string) {
  if (ends === undefined) return undefined;
  const { from = own, to = own } = ends;
  if (from !== to) return { from, to };
  throw new TypeError("Cannot move anything: both places are the same");
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function openAll(options: MigrationOptions, closers: Closers): Promise<Opened> {
  const { env, dryRun = false, onTrouble } = options;
  const dataDir = await openDataDir(options.dataDir);
  closers.add({ close: () => dataDir.release() });
  await requireFormat(options.dataDir);
  const records = endsOf(options.records, options.kv ?? dataDir.kv);
  const files = endsOf(options.files, dataDir.blobs);
  const source = records?.from ?? options.kv ?? dataDir.kv;
  if (!isStoreUrl(source) && !await exists(source)) {
    throw new MigrationError(
      `Cannot move the platform of ${source}: there is none. Name its data directory with ` +
        "--data-dir",
    );
  }
  if (dryRun && records !== undefined && !isStoreUrl(records.to) && !await exists(records.to)) {
    throw new MigrationError(`Cannot look at ${records.to} without making it: leave --dry-run out`);
  }
  const from = closers.add(await openRecords(source, env));
  const to = records === undefined ? undefined : closers.add(await openRecords(records.to, env));
  const vault = async (place: string, { kv }: RecordStore) =>
    closers.add(await openVault(place, { env, kv, cache: dataDir.cache, onTrouble }));
  const vaults = files === undefined
    ? undefined
    : { from: await vault(files.from, from), to: await vault(files.to, to ?? from) };
  const named = records && { from: placeName(records.from), to: placeName(records.to) };
  const move = { ...(named && { records: named }), ...(files && { files }) };
  return { dataDir, move, from, to, vaults };
}

/** Refuses a target that holds anything but what this move has brought. */
async function findResumed({ dataDir, move, to, vaults }: Opened): Promise<Move | undefined> {
  const begun = await readMove(dataDir.root);
  const isSame = begun !== undefined && isSameMove(begun, move);
  const mark = to === undefined ? undefined : await findMark(to.kv);
  if (isSame && begun.done !== undefined && (mark ?? begun.id) === begun.id) return begun;
  const isOurs = isSame && (mark === undefined || mark === begun.id);
  const hasOthers = to !== undefined && await hasRecords(to) && !(isOurs && mark !== undefined);
  if (hasOthers) {
    throw new MigrationError(
      `Cannot move records to ${move.records!.to}: it is not empty, and what it holds is ` +
        (mark === undefined ? "no unfinished move. " : "another move, which has not ended. ") +
        "Name an empty store, or empty this one",
    );
  }
  if (vaults !== undefined && !isOurs && await hasFiles(vaults.to)) {
    throw new MigrationError(
      `Cannot move files to ${move.files!.to}: it is not empty, and this move was not begun ` +
        "there. Name an empty place",
    );
  }
  return isOurs ? begun : undefined;
}

async function refuseUsers(store: RecordStore, place: string): Promise<void> {
  const users = await store.users();
  if (users.length > 0) throw new StoreInUseError(place, users);
}

/** @throws {MigrationError} where secrets are sealed with keys that are not in the file. */
async function checkKeys({ keyIds }: Survey, file: string): Promise<void> {
  if (keyIds.size === 0) return;
  const known = await readKeyIds(file);
  const missing = [...keyIds].filter((id) => !known.has(id));
  if (missing.length === 0) return;
  throw new MigrationError(
    `Cannot move the records: ${file} has not the keys (${missing.join(", ")}) with which their ` +
      "secrets are sealed. Name the platform's own file with --keys-file",
  );
}

async function listStaying(root: string): Promise<MigrationReport["stays"]> {
  const stays: { path: string; what: string }[] = [];
  for (const [name, what] of Object.entries(PER_NODE)) {
    const path = join(root, name);
    const entries = await Array.fromAsync(Deno.readDir(path)).catch(() => []);
    if (entries.length > 0) stays.push({ path, what });
  }
  return stays;
}

/**
 * Moves a platform, checked by hashes and counts. What was moved stays when it is
 * interrupted, and the same call goes on.
 *
 * @throws {DataDirInUseError} while a platform runs on the data directory.
 * @throws {StoreInUseError} while nodes run on a shared store.
 * @throws {DataNewerError} where a newer program has written it.
 * @throws {DataNotMigratedError} where an older one has.
 * @throws {StoreUnusableError} where a place cannot be used.
 * @throws {MigrationError} where the target is not empty, or does not get equal to the source.
 */
export async function migrateStore(options: MigrationOptions): Promise<MigrationReport> {
  const closers = new Closers();
  try {
    return await moveAll(options, await openAll(options, closers));
  } finally {
    await closers.close();
  }
}

async function moveAll(options: MigrationOptions, opened: Opened): Promise<MigrationReport> {
  const { dataDir, move, from, to, vaults } = opened;
  const stores = { source: from.kv, target: to?.kv };
  await refuseUsers(from, move.records?.from ?? placeName(options.kv ?? dataDir.kv));
  const resumed = await findResumed(opened);
  const stays = await listStaying(dataDir.root);
  if (resumed?.done !== undefined && !options.dryRun) {
    await endMove(dataDir.root, resumed, stores);
    return { ...reportOf(resumed), resumed: true, stays };
  }
  const survey = await surveyRecords(from);
  await checkKeys(survey, options.keysFile ?? dataDir.keys);
  const records = { files: survey.count, bytes: survey.bytes };
  const files = vaults && await surveyFiles(vaults.from);
  const answer = { resumed: resumed !== undefined, stays };
  if (options.dryRun) {
    return { ...answer, planned: { ...(to && { records }), ...(files && { files }) } };
  }
  const version = await from.version();
  const begun: Move = { ...move, id: resumed?.id ?? systemRandom(16).toHex() };
  await beginMove(dataDir.root, begun, stores);
  if (files) options.onPart("files", files);
  const movedFiles = vaults && await moveFiles(vaults, options);
  if (to) options.onPart("records", records);
  const movedRecords = to && await moveRecords({ from, to }, options);
  if (to !== undefined && version !== await from.version()) {
    throw new MigrationError(
      "Cannot finish: something has written to the source meanwhile. Stop all nodes, and run it " +
        "again",
    );
  }
  if (to !== undefined && !isStoreUrl(options.records?.to ?? dataDir.kv)) {
    await markPortable(to.kv);
    await writeFormatMark(dataDir.root, { format: DATA_FORMAT, program: options.version });
  }
  const done = {
    ...(movedRecords && { records: movedRecords }),
    ...(movedFiles && { files: movedFiles }),
  };
  await endMove(dataDir.root, { ...begun, done }, stores);
  return { ...answer, ...done };
}

function reportOf({ done }: Move): Pick<MigrationReport, "records" | "files"> {
  return {
    ...(done?.records && { records: done.records }),
    ...(done?.files && { files: done.files }),
  };
}
