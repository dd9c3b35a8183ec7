/**
 * Reads all of a platform's stored data, independently of the code that moves the data.
 *
 * @module
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sha256Hex } from "../../src/lib/hash.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { until } from "../../src/lib/_test_until.ts";
import { openS3BlobVault } from "../../src/platform/core/s3/mod.ts";
import { keys } from "../../src/platform/core/store/mod.ts";
import type { TestPg } from "../../src/platform/core/store/_test_pg.ts";
import { DenoStore, encodeKey } from "../../src/store/mod.ts";
import type { MoveTarget } from "./machines/move_servers.ts";

interface Content {
  /** The bytes in hexadecimal, or the number, as text. */
  readonly value: string;
  /** The expiry in milliseconds since 1970; `Infinity` if the record does not expire. */
  readonly expiresAt: number;
}

/** The records' contents, by encoded key. */
export type Records = ReadonlyMap<string, Content>;

/** Blobs' sizes, by `workspace/sha256`. Each blob's content is known to match its hash. */
export type Blobs = ReadonlyMap<string, number>;

/**
 * How much later a record may expire in the target than in the source, in milliseconds. A commit is
 * retried while PostgreSQL is down.
 */
const LATER_MS = 15_000;

/** Keys of records that belong to one store and are not moved. */
const OWN = new Set(
  ["move", "probe", "portable_values"].map((name) => encodeKey(keys.meta(name)).toHex()),
);

/** Deno KV's markers for counters and bytes. */
const COUNTER = 2;
const BYTES = 3;

export function readFileRecords(path: string): Records {
  using database = new DatabaseSync(path, { readOnly: true });
  const records = new Map<string, Content>();
  for (const row of database.prepare("SELECT k, v, v_encoding, expiration_ms FROM kv").iterate()) {
    const { k, v, v_encoding, expiration_ms } = row as {
      k: Uint8Array;
      v: Uint8Array;
      v_encoding: number;
      expiration_ms: number;
    };
    assert.ok(v_encoding === COUNTER || v_encoding === BYTES);
    records.set(k.toHex(), {
      value: v_encoding === COUNTER ? `${Buffer.from(v).readBigUInt64LE()}` : v.toHex(),
      expiresAt: expiration_ms < 0 ? Infinity : expiration_ms,
    });
  }
  return records;
}

/** Reads from a PostgreSQL server that may just have been killed. Retries while it starts. */
export async function readPgRecords(pg: TestPg, { database }: MoveTarget): Promise<Records> {
  const read = () =>
    pg.runSql(
      `SELECT encode(key, 'hex') AS key, coalesce(encode(value, 'hex'), number::text) AS value,
        (extract(epoch FROM expires_at) * 1000)::double precision AS expires FROM svc.records`,
      database,
    );
  const rows = await until(
    () => read().catch((error) => String(error)),
    (rows) => typeof rows !== "string",
  );
  assert.ok(typeof rows !== "string");
  return new Map(
    rows.map(({ key, value, expires }) => [key, { value, expiresAt: expires ?? Infinity }]),
  );
}

/**
 * Compares a target with its source at one moment. Returns the number of records that both have.
 */
export function compareRecords(source: Records, target: Records, now: number): number {
  const differences: string[] = [];
  let count = 0;
  for (const key of new Set([...source.keys(), ...target.keys()])) {
    if (OWN.has(key)) continue;
    const [from, to] = [source.get(key), target.get(key)];
    const ends = { from: from?.expiresAt ?? now, to: to?.expiresAt ?? now };
    const name = () => `${Buffer.from(key, "hex").toString("latin1")}: ${JSON.stringify(ends)}`;
    if (from !== undefined && to !== undefined) {
      count++;
      if (from.value !== to.value) differences.push(`different value: ${name()}`);
      const later = ends.from === ends.to ? 0 : ends.to - ends.from;
      // The times of one store are precise to milliseconds, and those of the other store to
      // microseconds.
      if (!(later >= -5 && later <= LATER_MS)) differences.push(`different expiry: ${name()}`);
    } else if (ends.from > now) differences.push(`lost ${name()}`);
    else if (ends.to > now + LATER_MS) differences.push(`not in the source: ${name()}`);
  }
  assert.deepEqual(differences.slice(0, 20), [], `${differences.length} differences at ${now}`);
  return count;
}

/** Reads all blobs in a folder. Each blob's content must match its name. */
export async function readFolderBlobs(folder: string): Promise<Blobs> {
  const blobs = new Map<string, number>();
  for await (const workspace of Deno.readDir(folder)) {
    if (!/^[0-9a-f-]{36}$/.test(workspace.name)) continue;
    for await (const part of Deno.readDir(join(folder, workspace.name))) {
      for await (const { name } of Deno.readDir(join(folder, workspace.name, part.name))) {
        const content = await Deno.readFile(join(folder, workspace.name, part.name, name));
        assert.equal(sha256Hex(content), name);
        blobs.set(`${workspace.name}/${name}`, content.byteLength);
      }
    }
  }
  return blobs;
}

/** Reads all blobs in object storage. */
export async function readStoredBlobs({ blobs: place, env }: MoveTarget): Promise<Blobs> {
  const cache = await Deno.makeTempDir({ prefix: "svc-blobs-" });
  const kv = await DenoStore.open(":memory:");
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const vault = await openS3BlobVault({
    place,
    env,
    kv,
    cache,
    now: systemClock,
    onDamaged: say,
    onTrouble: say,
  });
  try {
    const blobs = new Map<string, number>();
    for await (const { workspaceId, sha256, size } of vault.list()) {
      const content = await vault.of(workspaceId).read(sha256);
      assert.equal(content.byteLength, size);
      assert.equal(sha256Hex(content), sha256);
      blobs.set(`${workspaceId}/${sha256}`, size);
    }
    assert.deepEqual(said, []);
    return blobs;
  } finally {
    vault.close();
    kv.close();
    await Deno.remove(cache, { recursive: true });
  }
}

export function compareBlobs(source: Blobs, target: Blobs): void {
  const text = (blobs: Blobs) => [...blobs].map(([name, size]) => `${name} ${size}`).sort();
  assert.deepEqual(text(target), text(source));
}
