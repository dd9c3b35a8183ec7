/**
 * Verifies every record in its stored form.
 *
 * @module
 */
import { deserialize } from "node:v8";
import type { Environment } from "../../lib/network_variables.ts";
import { messageOf } from "../../lib/error_message.ts";
import {
  checksumOf,
  decodeValue,
  ENCODING,
  keys,
  nameOf,
  openKv,
  openPg,
} from "../../platform/core/store/mod.ts";
import {
  decodeKey,
  isStoreUrl,
  readRecords,
  type RecordKey,
  type RecordStore,
} from "../../store/mod.ts";
import { withStoreCopy } from "./copy_store.ts";
import type { DamageList } from "./damage_list.ts";

interface ReadRecords {
  readonly records: number;
  /** Number of records that have no checksum because an older svc version wrote them. */
  readonly unchecked: number;
  /**
   * IDs of the encryption keys of secrets, each with the key of a record that refers to that ID.
   */
  readonly keyIds: ReadonlyMap<string, RecordKey>;
}

/** Maximum number of problems to report for the database file. */
const MOST_PROBLEMS = 20;

interface Row {
  readonly k: unknown;
  readonly v: unknown;
  readonly v_encoding: number;
}

const COUNTER_BYTES = 8;

/** Decodes a row's value as Deno KV does. @throws if Deno KV would fail */
function valueOf({ v, v_encoding }: Row): unknown {
  if (!(v instanceof Uint8Array)) throw new TypeError("it has no bytes");
  if (v_encoding === ENCODING.bytes) return v;
  if (v_encoding === ENCODING.v8) return deserialize(v);
  if (v_encoding === ENCODING.counter && v.byteLength === COUNTER_BYTES) return undefined;
  throw new TypeError("its kind is unknown");
}

/** Collects the key IDs in encrypted secrets, at any depth in a record. */
function findKeyIds(value: unknown, note: (id: string) => void): void {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return;
  if ("keyId" in value && typeof value.keyId === "string" && "nonce" in value) note(value.keyId);
  for (const part of Object.values(value)) findKeyIds(part, note);
}

const SET_ASIDE = keys.damagedRecords()[0];

/** Reads records one by one. */
class Reader {
  records = 0;
  unchecked = 0;
  readonly keyIds = new Map<string, RecordKey>();

  readonly #damage: DamageList;

  constructor(damage: DamageList) {
    this.#damage = damage;
  }

  read(encoded: unknown, readValue: () => unknown): void {
    this.records++;
    let key: RecordKey;
    try {
      if (!(encoded instanceof Uint8Array)) throw new TypeError("no bytes");
      key = decodeKey(encoded);
    } catch {
      const name = encoded instanceof Uint8Array ? encoded.toHex() : String(encoded);
      return this.#damage.add(`the key of a record is damaged: ${name}`);
    }
    if (key[0] === SET_ASIDE && key[1] instanceof Uint8Array) {
      return this.#damage.add(`${describe(key[1])} was found to be damaged earlier and set aside`);
    }
    try {
      const stored = readValue();
      const value = decodeValue(key, stored);
      if (value !== stored && checksumOf(key, stored) === "none") this.unchecked++;
      findKeyIds(value, (id) => this.keyIds.has(id) || this.keyIds.set(id, key));
    } catch (error) {
      this.#damage.add(`the record ${nameOf(key)} is damaged: ${messageOf(error)}`);
    }
  }
}

function describe(encoded: Uint8Array): string {
  try {
    return `the record ${nameOf(decodeKey(encoded))}`;
  } catch {
    return `the record ${encoded.toHex()}`;
  }
}

async function readFile(path: string, reader: Reader, damage: DamageList): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const check = database.prepare(`PRAGMA integrity_check(${MOST_PROBLEMS})`).all();
    const problems = check.map((row) => String(row.integrity_check)).filter((it) => it !== "ok");
    for (const problem of problems) damage.add(`the database ${path} is damaged: ${problem}`);
    const rows = database.prepare("SELECT k, v, v_encoding FROM kv").iterate();
    for (const row of rows as unknown as Iterable<Row>) reader.read(row.k, () => valueOf(row));
  } catch (error) {
    damage.add(`the database ${path} cannot be read to its end: ${messageOf(error)}`);
  } finally {
    database.close();
  }
}

async function readServer(place: string, env: Environment, reader: Reader): Promise<void> {
  const store = await openPg(place, env);
  try {
    for await (const { key, value } of readRecords(store.connections)) {
      reader.read(key, () => value);
    }
  } finally {
    await store.close();
  }
}

/**
 * Reads every record in a store and reports unreadable records.
 *
 * @param then called with the store to read from, or with `undefined` if the store cannot be opened
 */
export async function verifyRecords(
  { place, env }: { readonly place: string; readonly env: Environment },
  damage: DamageList,
  then: (kv: RecordStore | undefined) => Promise<void>,
): Promise<ReadRecords> {
  const reader = new Reader(damage);
  if (isStoreUrl(place)) {
    await readServer(place, env, reader);
    const kv = await openKv(place, env);
    try {
      await then(kv);
    } finally {
      kv.close();
    }
    return reader;
  }
  await readFile(place, reader, damage);
  let isOpened = false;
  await withStoreCopy(place, async (kv) => {
    isOpened = true;
    await then(kv);
  }).catch(async (error) => {
    if (isOpened) throw error;
    await then(undefined);
  });
  return reader;
}
