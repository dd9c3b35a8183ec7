/** Opens the key-value store. @module */
import { basename, join } from "node:path";
import { describeFileFault } from "../../../lib/file_fault.ts";
import { type HeldFolder, makeHeldFolder } from "../../../lib/held_folders.ts";
import { ifMissing } from "../../../lib/missing_files.ts";
import type { Environment } from "../../../lib/network_variables.ts";
import {
  type ChangeFollower,
  DenoStore,
  describeFault,
  describeStoreUrl,
  isStoreUrl,
  type RecordKey,
  type RecordStore,
  startTidying,
  StoreAddressError,
} from "../../../store/mod.ts";
import { LOCAL_LIMITS, REMOTE_LIMITS } from "./commit_group.ts";
import { sharingCommitter } from "./group_committer.ts";
import { GroupedStore } from "./grouped_store.ts";
import { hasRecords, mendFile } from "./mend_file.ts";
import { openPg, wrapPg } from "./open_pg_kv.ts";
import {
  checkReadable,
  type DamageOptions,
  markPortable,
  PortableStore,
} from "./portable_store.ts";
import { ReadOnlyStore } from "./read_only_store.ts";

/** Thrown if one of the platform's stores cannot be opened. */
export class StoreUnusableError extends Error {
  override readonly name = "StoreUnusableError";
}

/**
 * Returns whether a store's location is a URL. If so, the store is on another machine, and other
 * programs may write to it.
 */
export const isRemoteStore = (place: string): boolean => /^[a-z]+:\/\//i.test(place);

interface OpenedKv {
  readonly kv: RecordStore;
  readonly readOnly: string | undefined;
  /** Follows changes made by other nodes, if several nodes share the store. */
  readonly follower: ChangeFollower | undefined;
  close(): Promise<void>;
}

/** SQLite's messages for a disk that is full or not writable. */
const UNWRITABLE = /disk is full|disk I\/O error|readonly database|unable to open database file/;

/** SQLite's messages for a file that is not a complete database. */
const MALFORMED = /database disk image is malformed|not a database|malformed database schema/;

/** Deno KV's messages for a key that it cannot decode. */
const UNDECODABLE = /invalid tag|unexpected end of file/;

/** A key that is written and removed at startup, to check whether the store is writable. */
const PROBE: RecordKey = ["meta", "probe"];

const reasonOf = (cause: unknown): string =>
  cause instanceof Error && / \(os error \d+\)/.test(cause.message)
    ? describeFileFault(cause)
    : describeFault(cause);

/** Returns a store's location for messages. */
export function placeName(place: string): string {
  return isStoreUrl(place) ? describeStoreUrl(place) : place;
}

/** Adds the store's name and advice for the operator to an error. */
export function unusable(place: string, cause: unknown): StoreUnusableError {
  if (cause instanceof StoreUnusableError) return cause;
  // An error in the URL needs no further explanation, because nothing has been opened yet.
  if (cause instanceof StoreAddressError) return new StoreUnusableError(cause.message, { cause });
  const given = reasonOf(cause);
  const reason = UNDECODABLE.test(given) ? "the key of a record cannot be decoded" : given;
  const advice = !isStoreUrl(place) && (reason !== given || MALFORMED.test(reason))
    ? ". The file is damaged: restore a backup (svc restore), or, to save what can be read, use " +
      "the .recover command of sqlite3 on a copy"
    : "";
  const message = `Cannot open the key-value store ${placeName(place)}: ${reason}${advice}`;
  return new StoreUnusableError(message, { cause });
}

/**
 * Wraps a store as the platform uses it: with encoded values, and with concurrent commits in
 * groups.
 */
function wrap(kv: RecordStore, place: string, options: DamageOptions): RecordStore {
  const limits = isUrl(place) ? REMOTE_LIMITS : LOCAL_LIMITS;
  return new PortableStore(new GroupedStore(kv, sharingCommitter(kv, limits)), options);
}

const isUrl = (place: string): boolean => /^https?:/.test(place);

async function isFile(place: string): Promise<boolean> {
  if (isUrl(place) || place === ":memory:") return false;
  return await Deno.stat(place).then(({ isFile, size }) => isFile && size > 0, () => false);
}

/** @throws {StoreUnusableError} naming the store that cannot be opened, and the reason. */
export async function openKv(
  place: string,
  env: Environment = {},
  onDamaged?: (message: string) => void,
): Promise<RecordStore> {
  try {
    if (isStoreUrl(place)) return wrapPg(await openPg(place, env), onDamaged);
    const { kv, damage } = await openReadable(place, onDamaged);
    return wrap(kv, place, damage);
  } catch (cause) {
    throw unusable(place, cause);
  }
}

/**
 * Returns a function that reports a damaged file as a store that cannot be opened. If damaged keys
 * are repaired (`mends`), errors about them are unchanged.
 */
const explainAt = (place: string, mends: boolean) => (error: unknown): unknown =>
  error instanceof Error &&
    (MALFORMED.test(error.message) || (!mends && UNDECODABLE.test(error.message)))
    ? unusable(place, error)
    : error;

interface Opened {
  readonly kv: RecordStore;
  readonly isUnmarked: boolean;
  readonly damage: DamageOptions;
}

/** Opens a database once all of its values can be read. Sets aside unreadable values. */
async function openReadable(
  place: string,
  onDamaged: ((message: string) => void) | undefined,
): Promise<Opened> {
  const explain = explainAt(place, onDamaged !== undefined);
  const mend = async (readsAll: boolean) => {
    if (onDamaged === undefined) return 0;
    return await mendFile(place, { readsAll, now: Date.now(), onDamaged }).catch((error) => {
      throw explain(error);
    });
  };
  // This happens before Deno KV opens the database, because a damaged counter would crash the
  // process.
  if (await isFile(place) && await hasRecords(place)) await mend(false);
  const kv = await DenoStore.open(place, explain);
  try {
    const isUnmarked = await checkReadable(kv);
    const damage = { ...(onDamaged && { onDamaged }) };
    const isMended = await isFile(place);
    return {
      kv,
      isUnmarked,
      damage: isMended ? { ...damage, mend: () => mend(true) } : damage,
    };
  } catch (error) {
    kv.close();
    throw error;
  }
}

/**
 * Denies other users access to the files, because one of these users may have access to the folder,
 * for example the user of a local PostgreSQL server.
 */
async function closeToOthers(place: string): Promise<void> {
  if (Deno.build.os === "windows" || /^(?:https?:|:memory:)/.test(place)) return;
  for (const path of [place, `${place}-wal`, `${place}-shm`]) {
    await Deno.chmod(path, 0o600).catch(ifMissing);
  }
}

async function openWritable(
  place: string,
  onDamaged: (message: string) => void,
): Promise<RecordStore> {
  const { kv, isUnmarked, damage } = await openReadable(place, onDamaged);
  try {
    await kv.set(PROBE, new Uint8Array());
    await kv.delete(PROBE);
    await closeToOthers(place);
    if (isUnmarked) await markPortable(kv);
    return wrap(kv, place, damage);
  } catch (error) {
    kv.close();
    throw error;
  }
}

async function copyInto(folder: string, place: string): Promise<void> {
  await Deno.copyFile(place, join(folder, basename(place)));
  // Data that has not been merged into the database yet.
  await Deno.copyFile(`${place}-wal`, join(folder, `${basename(place)}-wal`)).catch(ifMissing);
}

/** Copies a database to a folder with enough space, on disk or in memory. Returns the folder. */
async function copyElsewhere(place: string): Promise<HeldFolder> {
  let failure: unknown;
  for (const inMemory of [false, true]) {
    let folder: HeldFolder | undefined;
    try {
      folder = await makeHeldFolder("store", { inMemory });
      await copyInto(folder.path, place);
      return folder;
    } catch (error) {
      failure = error;
      await folder?.[Symbol.asyncDispose]();
    }
  }
  throw failure;
}

async function openPlatformPg(
  place: string,
  { env, onTrouble, onDamaged }: PlatformKvOptions,
): Promise<OpenedKv> {
  try {
    const store = await openPg(place, env);
    const follower = await store.follow();
    const tidying = startTidying(store, onTrouble);
    const close = async () => {
      await follower.close();
      await tidying.close();
      await store.close();
    };
    return { kv: wrapPg(store, onDamaged), readOnly: undefined, follower, close };
  } catch (cause) {
    throw unusable(place, cause);
  }
}

interface PlatformKvOptions {
  /** Completes a PostgreSQL server's URL, for example with the password. */
  readonly env: Environment;
  readonly onTrouble: (message: string) => void;
  /** Called for each damaged record that was set aside. */
  readonly onDamaged: (message: string) => void;
}

/**
 * Opens the platform's store. If its disk is full, opens a read-only copy elsewhere. Sites are then
 * still served, and changes are refused with the reason.
 *
 * @throws {StoreUnusableError} if the store cannot be opened. The message names the store and the
 * reason.
 */
export async function openPlatformKv(
  place: string,
  options: PlatformKvOptions,
): Promise<OpenedKv> {
  if (isStoreUrl(place)) return await openPlatformPg(place, options);
  try {
    const kv = await openWritable(place, options.onDamaged);
    return {
      kv,
      readOnly: undefined,
      follower: undefined,
      close: () => Promise.resolve(kv.close()),
    };
  } catch (cause) {
    const isUnwritable = cause instanceof Error && UNWRITABLE.test(cause.message);
    if (!await isFile(place) || !isUnwritable) throw unusable(place, cause);
    const readOnly = reasonOf(cause);
    const folder = await copyElsewhere(place).catch(() => {
      throw unusable(place, cause);
    });
    const copy = join(folder.path, basename(place));
    const kv = await openKv(copy, options.env, options.onDamaged).catch(async () => {
      await folder[Symbol.asyncDispose]();
      throw unusable(place, cause);
    });
    const close = async () => {
      kv.close();
      await folder[Symbol.asyncDispose]();
    };
    return { kv: new ReadOnlyStore(kv), readOnly, follower: undefined, close };
  }
}
