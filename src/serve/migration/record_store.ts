/** The stores between which records are moved: a Deno KV file and PostgreSQL. @module */
import { Buffer } from "node:buffer";
import { deserialize } from "node:v8";
import type { Environment } from "../../lib/network_variables.ts";
import {
  keys,
  openPg,
  placeName,
  StoreUnusableError,
  unusable,
  wrapPg,
} from "../../platform/core/store/mod.ts";
import { encodePortable, ENCODING, PortableStore } from "../../platform/core/store/mod.ts";
import { UnavailableError } from "../../lib/unavailable_error.ts";
import {
  decodeKey,
  DenoStore,
  describeFault,
  isStoreUrl,
  raiseVersion,
  readRecords,
  readVersion,
  type RecordStore,
  withRecordsOfMoment,
} from "../../store/mod.ts";
import type { RawRecord } from "./raw_record.ts";

/** Maximum number of changes per transaction, which is within Deno KV's limits. */
const MOST_CHANGES = 200;
const MOST_BYTES = 300_000;

/** Maximum number of rows that are read from a file at a time. */
const MOST_ROWS = 500;

/** The source or target store of a move. */
export interface MovedStore {
  /** The store, in the form that the platform uses. */
  readonly kv: RecordStore;
  /** All records in key order. */
  records(): AsyncIterable<RawRecord>;
  /**
   * Whether other processes can write to the store during the move. For a file in a data directory,
   * the directory's lock prevents this.
   */
  readonly isShared: boolean;
  /** The version of the store's last commit, as a versionstamp. */
  version(): Promise<bigint>;
  /** Ensures that later commits have higher versions than this one. */
  continueAfter(version: bigint): Promise<void>;
  /** The names of the nodes that use the store. */
  users(): Promise<readonly string[]>;
  /** Stores records in transactions, in order. */
  write(changes: AsyncIterable<Change>): Promise<void>;
  /**
   * Passes a snapshot of all records to a function, even while other processes write to the store.
   */
  ofMoment<T>(take: (records: AsyncIterable<RawRecord>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface Change {
  readonly kind: "set" | "delete";
  readonly record: RawRecord;
}

/**
 * @throws {StoreUnusableError} if the store cannot be opened. The message names the store and the
 * reason.
 */
export async function openRecords(place: string, env: Environment): Promise<MovedStore> {
  if (isStoreUrl(place)) return await openShared(place, env);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(place)) {
    throw new StoreUnusableError(
      `Cannot move the records in ${place}: use the file of an embedded store, or postgres://…`,
    );
  }
  return await openFile(place);
}

async function openShared(place: string, env: Environment): Promise<MovedStore> {
  const store = await openPg(place, env).catch((cause) => {
    throw unusable(place, cause);
  });
  const kv = wrapPg(store);
  return {
    kv,
    isShared: true,
    records: () => readRecords(store.connections),
    ofMoment: (take) => withRecordsOfMoment(store.connections, take),
    version: () => readVersion(store.connections),
    continueAfter: (version) => raiseVersion(store.connections, version),
    users: () => namesOfUsers(kv),
    write: (changes) => writeTo({ kv: store.kv, place }, changes),
    close: () => store.close(),
  };
}

/** Lists the running processes, each with the name of its node if known. */
async function namesOfUsers(kv: RecordStore): Promise<readonly string[]> {
  const names = new Map<string, string>();
  for await (
    const { value } of kv.list<{ id: string; instance: string }>({ prefix: keys.nodes() })
  ) {
    names.set(value.instance, value.id);
  }
  const users: string[] = [];
  for await (const { key } of kv.list({ prefix: keys.pulses() })) {
    users.push(names.get(String(key[1])) ?? String(key[1]));
  }
  return users;
}

interface Row {
  readonly k: Uint8Array<ArrayBuffer>;
  readonly v: Uint8Array<ArrayBuffer>;
  readonly v_encoding: number;
  readonly expiration_ms: number;
}

function valueOf({ v, v_encoding }: Row): RawRecord["value"] {
  if (v_encoding === ENCODING.counter) return new Deno.KvU64(Buffer.from(v).readBigUInt64LE());
  // Earlier versions stored values in an encoding that not every runtime can read.
  return v_encoding === ENCODING.v8 ? encodePortable(deserialize(v)) : v;
}

async function openFile(path: string): Promise<MovedStore> {
  const { DatabaseSync } = await import("node:sqlite");
  let kv: RecordStore;
  try {
    // Creates a missing file with private permissions before anything is written to it.
    (await Deno.open(path, { write: true, create: true, mode: 0o600 })).close();
    kv = await DenoStore.open(path);
  } catch (cause) {
    throw unusable(path, cause);
  }
  // Deno KV's API does not return expiry times, so they are read from its table.
  const database = new DatabaseSync(path, { readOnly: true });
  const page = database.prepare(
    `SELECT k, v, v_encoding, expiration_ms FROM kv WHERE k > ? ORDER BY k LIMIT ${MOST_ROWS}`,
  );
  const lastVersion = database.prepare("SELECT version FROM data_version");
  async function* records(): AsyncGenerator<RawRecord> {
    let after = new Uint8Array();
    for (let count = MOST_ROWS; count === MOST_ROWS;) {
      const rows = page.all(after) as unknown as Row[];
      for (const row of rows) {
        const { k, expiration_ms: expires } = row;
        const leftMs = expires < 0 ? undefined : expires - Date.now();
        yield { key: k, value: valueOf(row), leftMs };
      }
      count = rows.length;
      after = rows.at(-1)?.k ?? after;
    }
  }
  return {
    kv: new PortableStore(kv),
    isShared: false,
    records,
    ofMoment: (take) => take(records()),
    version: () => Promise.resolve(BigInt(lastVersion.get()!.version as number)),
    continueAfter(version) {
      using own = new DatabaseSync(path);
      own.prepare("UPDATE data_version SET version = max(version, ?)").run(version);
      return Promise.resolve();
    },
    users: () => Promise.resolve([]),
    write: (changes) => writeTo({ kv, place: path }, changes),
    close() {
      database.close();
      kv.close();
      return Promise.resolve();
    },
  };
}

/** Adds the store's location to an error from a commit. */
function unwritable(place: string, cause: unknown): Error {
  if (cause instanceof UnavailableError) return cause;
  return new StoreUnusableError(
    `Cannot write to the key-value store ${placeName(place)}: ${describeFault(cause)}`,
    { cause },
  );
}

async function writeTo(
  { kv, place }: { readonly kv: RecordStore; readonly place: string },
  changes: AsyncIterable<Change>,
): Promise<void> {
  let [operation, count, bytes] = [kv.atomic(), 0, 0];
  const commit = async () => {
    if (count > 0) {
      await operation.commit().catch((cause) => {
        throw unwritable(place, cause);
      });
    }
    [operation, count, bytes] = [kv.atomic(), 0, 0];
  };
  for await (const { kind, record } of changes) {
    const size = record.key.byteLength +
      (record.value instanceof Uint8Array ? record.value.byteLength : 8);
    if (count >= MOST_CHANGES || bytes + size > MOST_BYTES) await commit();
    const key = decodeKey(record.key);
    if (kind === "delete") operation.delete(key);
    else operation.set(key, record.value, expiry(record));
    count++;
    bytes += size;
  }
  await commit();
}

function expiry({ leftMs }: RawRecord): { readonly expireIn?: number } {
  return leftMs === undefined ? {} : { expireIn: Math.max(1, Math.round(leftMs)) };
}
