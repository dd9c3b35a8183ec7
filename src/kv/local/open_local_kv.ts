/**
 * @module The key-value store of a project on this computer: `svc dev` gives it to the project's
 * code, and `svc kv` reads and changes it. Several processes can open it at the same time.
 */
import { join } from "node:path";
import { describeFileFault } from "../../lib/file_fault.ts";
import { ifMissing } from "../../lib/missing_files.ts";
import { KvStore } from "../kv_store.ts";
import type { Namespace } from "../types.ts";
import { DenoStore, type RecordKey, type RecordStore } from "../../store/mod.ts";
import { whenUnlocked } from "../../lib/contention.ts";
import { renewedValue } from "../records.ts";

/** Marks a store in which all values are bytes. */
const MARK: RecordKey = ["meta", "portable_values"];

/** The store contains values that require a newer runtime than this program's. */
class UnreadableValuesError extends Error {
  override readonly name = "UnreadableValuesError";

  constructor(options: ErrorOptions) {
    super(
      "svc on a newer Deno wrote values there that this version, on Deno " +
        `${Deno.version.deno}, cannot read`,
      options,
    );
  }
}

/** Returns whether all values are bytes already. */
async function isPortable(kv: RecordStore, root: RecordKey): Promise<boolean> {
  let isNative = false;
  try {
    for await (const { value } of kv.list({ prefix: root })) {
      isNative ||= renewedValue(value) !== undefined;
    }
    return !isNative;
  } catch (cause) {
    if (cause instanceof RangeError) throw new UnreadableValuesError({ cause });
    throw cause;
  }
}

/**
 * Converts all values below `root` once per store, so every version of the runtime can read them.
 * Concurrent changes by other processes take precedence. Older runtimes cannot read the format of a
 * newer one (docs/decisions/store.md).
 *
 * @throws {UnreadableValuesError} if a value cannot be read. In that case, the store is unchanged.
 */
async function renewValues(kv: RecordStore, root: RecordKey): Promise<void> {
  if ((await kv.get(MARK)).versionstamp !== null) return;
  if (!await isPortable(kv, root)) {
    for await (const { key, value, versionstamp } of kv.list({ prefix: root })) {
      const renewed = renewedValue(value);
      if (renewed === undefined) continue;
      await whenUnlocked(() => kv.atomic().check({ key, versionstamp }).set(key, renewed).commit());
    }
  }
  await whenUnlocked(() => kv.set(MARK, new Uint8Array([1])));
}

/** Folder for local data, relative to `svc.toml`, unless that file sets `dev.data_dir`. */
export const DEFAULT_LOCAL_DATA_DIR = ".svc/data";

const DATABASE = "kv.sqlite3";
const ROOT: RecordKey = ["user_kv"];
const NAMESPACE: Namespace = ["local", "development"];

/** Each process counts only its own writes, so no process can enforce a limit for all processes. */
const NO_QUOTA = { bytes: Infinity, keys: Infinity };

/** Content of a `.gitignore` that makes Git ignore the whole folder. */
const IGNORE_ALL = "*\n";

export interface LocalKv extends Disposable {
  readonly store: KvStore;
  /** The only namespace of a local store. */
  readonly namespace: Namespace;
  close(): void;
}

/** The local store cannot be opened. */
export class LocalKvError extends Error {
  override readonly name = "LocalKvError";
}

async function makeDataDir(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  const ignore = join(path, ".gitignore");
  await Deno.writeTextFile(ignore, IGNORE_ALL, { createNew: true }).catch((error) => {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  });
}

/**
 * Returns the path of the database to open, or `:memory:` for an empty store if the file does not
 * exist and should not be created.
 */
async function placeOf(dataDir: string, create: boolean): Promise<string> {
  const path = join(dataDir, DATABASE);
  if (create) await makeDataDir(dataDir);
  const there = create || await Deno.stat(path).catch(ifMissing) !== undefined;
  return there ? path : ":memory:";
}

function explain(cause: unknown): string {
  if (!(cause instanceof UnreadableValuesError)) {
    return `${describeFileFault(cause)}. Set a writable folder with dev.data_dir ` +
      "in svc.toml";
  }
  return `${cause.message}. Nothing was changed. Run "svc kv list" once with the svc version that wrote ` +
    `them, or a newer one: then every version can read them. Or delete ${DATABASE} ` +
    "in that folder to start with an empty store";
}

/**
 * Opens the store in a project's folder for local data, and removes expired values. Creates a
 * missing folder, which only its owner can read. If `create` is false, a missing store is replaced
 * with an empty temporary one.
 *
 * @throws {LocalKvError} with the folder and the reason.
 */
export async function openLocalKv(
  dataDir: string,
  { create = true }: { readonly create?: boolean } = {},
): Promise<LocalKv> {
  let kv: RecordStore | undefined;
  try {
    kv = await DenoStore.open(await placeOf(dataDir, create));
    await renewValues(kv, ROOT);
    const store = new KvStore({ kv, root: ROOT, quota: NO_QUOTA });
    await store.sweep(new AbortController().signal);
    const close = kv.close.bind(kv);
    return { store, namespace: NAMESPACE, close, [Symbol.dispose]: close };
  } catch (cause) {
    kv?.close();
    throw new LocalKvError(
      `Cannot open the local key-value store in ${dataDir}: ${explain(cause)}`,
      { cause },
    );
  }
}
