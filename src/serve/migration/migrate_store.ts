/**
 * Moves a stopped platform's data: its records between a file and PostgreSQL, and its blobs between
 * a folder and object storage. The source remains unchanged.
 *
 * @module
 */
import { join } from "node:path";
import { systemRandom } from "../../lib/clock.ts";
import { DATA_FORMAT, writeFormatMark } from "../../lib/data_format.ts";
import { readKeyIds } from "../../platform/core/secrets/mod.ts";
import { markPortable } from "../../platform/core/store/mod.ts";
import { isStoreUrl } from "../../store/mod.ts";
import { findTarget } from "./check_target.ts";
import { Closers } from "../closers.ts";
import { MigrationError, StoreInUseError } from "./migration_error.ts";
import type { MigrationOptions, MigrationReport } from "./migration_options.ts";
import { moveFiles, surveyFiles } from "./move_files.ts";
import { beginMove, endMove, forgetMove } from "./move_mark.ts";
import { moveRecords, type Survey, surveyRecords } from "./move_records.ts";
import { type Opened, openEnds } from "./open_ends.ts";
import type { MovedStore } from "./record_store.ts";

/** Data that exists only on one node, by folder. */
const PER_NODE: Readonly<Record<string, string>> = {
  build_logs:
    "build logs: when a node starts with this data directory, it stores them for all nodes",
  databases: "databases of the embedded engine: move them with svc db export and import",
  logs: "access logs",
  postgres: "databases of --postgres local: move them with svc db export and import",
  repositories:
    "pushed repositories: when a node starts with this data directory, it shares them. " +
    "Otherwise, push again",
};

async function refuseUsers(store: MovedStore, place: string): Promise<void> {
  const users = await store.users();
  if (users.length > 0) throw new StoreInUseError(place, users);
}

/** @throws {MigrationError} if secrets are encrypted with keys that are not in the file. */
async function checkKeys({ keyIds }: Survey, file: string): Promise<void> {
  if (keyIds.size === 0) return;
  const known = await readKeyIds(file);
  const missing = [...keyIds].filter((id) => !known.has(id));
  if (missing.length === 0) return;
  throw new MigrationError(
    `Cannot move the records: ${file} lacks the keys (${missing.join(", ")}) that encrypt their ` +
      "secrets. Set the platform's own file with --keys-file",
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
 * Moves a platform and verifies the result by hashes and counts. If the move is interrupted, moved
 * data remains, and the same call continues.
 *
 * @throws {DataDirInUseError} while a platform uses the data directory of the source or the target.
 * @throws {StoreInUseError} while nodes use a shared store.
 * @throws {DataNewerError} if a newer program has written the data.
 * @throws {DataNotMigratedError} if an older program has written the data.
 * @throws {StoreUnusableError} if a location cannot be used.
 * @throws {MigrationError} if the target is not empty, or differs from the source afterwards.
 */
export async function migrateStore(options: MigrationOptions): Promise<MigrationReport> {
  const closers = new Closers();
  try {
    return await moveAll(options, await openEnds(options, closers));
  } finally {
    await closers.close();
  }
}

async function moveAll(options: MigrationOptions, opened: Opened): Promise<MigrationReport> {
  const { dataDir, move, from, source, to, vaults } = opened;
  const stores = { source: from.kv, target: to?.kv };
  await refuseUsers(from, source);
  if (to !== undefined) await refuseUsers(to, move.records!.to);
  const found = await findTarget(opened, options.signal);
  const stays = await listStaying(dataDir.root);
  if (found.kind === "equal" && !options.dryRun) {
    await forgetMove(dataDir.root);
    const { kind: _, ...there } = found;
    return { resumed: true, stays, ...there };
  }
  const survey = await surveyRecords(from);
  await checkKeys(survey, options.keysFile ?? dataDir.keys);
  const records = { files: survey.count, bytes: survey.bytes };
  const files = vaults && await surveyFiles(vaults.from);
  const answer = { resumed: found.kind !== "empty", stays };
  if (options.dryRun) {
    return { ...answer, planned: { ...(to && { records }), ...(files && { files }) } };
  }
  const version = await from.version();
  const id = found.kind === "begun" ? found.move.id : systemRandom(16).toHex();
  await beginMove(dataDir.root, { ...move, id }, stores);
  if (files) options.onPart("files", files);
  const movedFiles = vaults && await moveFiles(vaults, options);
  if (to) options.onPart("records", records);
  // A client may have stored the version of a value, which must never become the version of a
  // different value.
  if (to) await to.continueAfter(version);
  const movedRecords = to && await moveRecords({ from, to }, options);
  if (to !== undefined && from.isShared && version !== await from.version()) {
    throw new MigrationError(
      "Cannot finish: something wrote to the source during the move. Stop all nodes and run the command again",
    );
  }
  if (to !== undefined && !isStoreUrl(options.records?.to ?? dataDir.kv)) {
    await markPortable(to.kv);
    await writeFormatMark(dataDir.root, { format: DATA_FORMAT, program: options.version });
  }
  await endMove(dataDir.root, stores);
  return {
    ...answer,
    ...(movedRecords && { records: movedRecords }),
    ...(movedFiles && { files: movedFiles }),
  };
}
