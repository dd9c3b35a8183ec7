/**
 * A store in PostgreSQL behind the interface of Deno KV: bytes and counters by keys in
 * order, checked commits, and expiry by the database's clock.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { type Connections } from "./connections.ts";
import { decodeKey } from "./key_encoding.ts";
import { type KeyRange, rangeAfter, rangeOf } from "./key_range.ts";
import { PgList } from "./pg_list.ts";
import { encodeRecordKey, type Outcome, PgOperation } from "./pg_operation.ts";
import { versionstampOf } from "./versions.ts";

/** Entries of one batch of a listing, unless the caller wants another number. */
const BATCH = 500;
const MAX_BATCH = 1000;

/** What the function `svc.commit()` returns in place of a version. */
const CHECK_FAILED = 0n;

interface Row {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly value: Uint8Array<ArrayBuffer> | null;
  readonly number: string | null;
  readonly version: string;
}

function valueOf({ value, number }: Row): unknown {
  return value ?? new Deno.KvU64(BigInt(number!));
}

function outcomeOf(version: bigint): Outcome | TypeError {
  if (version === CHECK_FAILED) return { ok: false };
  if (version > CHECK_FAILED) return { ok: true, versionstamp: versionstampOf(version) };
  return new TypeError("Cannot count: a non-U64 value is in the store where a counter should be");
}

function refuse(what: string): never {
  throw new TypeError(`Cannot use ${what}: a store in PostgreSQL has none`);
}

export class PgKv implements Deno.Kv {
  /** Names this opened store in the list of changes. */
  readonly writer = randomUUID();

  constructor(private readonly connections: Connections) {}

  /** Commits operations in their order, in one call; each has its own outcome. */
  async commitAll(operations: readonly PgOperation[]): Promise<(Outcome | TypeError)[]> {
    // The same id in each attempt: one that was stored is not stored again.
    const call = randomUUID();
    const data = JSON.stringify(operations.map((operation) => operation.data));
    const [row] = await this.connections.run((sql) =>
      sql<{ outcomes: string }[]>`
        SELECT array_to_string(
          svc.commit(${call}::uuid, ${this.writer}::uuid, ${data}::text::jsonb), ' ') AS outcomes`
    );
    return row!.outcomes.split(" ").map((version) => outcomeOf(BigInt(version)));
  }

  atomic(): PgOperation {
    return new PgOperation(async (operation) => {
      const [outcome] = await this.commitAll([operation]);
      if (outcome instanceof TypeError) throw outcome;
      return outcome!;
    });
  }

  async set(
    key: Deno.KvKey,
    value: unknown,
    options?: { readonly expireIn?: number },
  ): Promise<Deno.KvCommitResult> {
    return await this.atomic().set(key, value, options).commit() as Deno.KvCommitResult;
  }

  async delete(key: Deno.KvKey): Promise<void> {
    await this.atomic().delete(key).commit();
  }

  async get<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>> {
    const [entry] = await this.getMany<[T]>([key]);
    return entry;
  }

  async getMany<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: Deno.KvKey }],
  ): Promise<{ [K in keyof T]: Deno.KvEntryMaybe<T[K]> }> {
    const encoded = keys.map((key) => encodeRecordKey(key).toHex());
    const rows = await this.connections.run((sql) =>
      sql<Row[]>`
        SELECT key, value, number, version FROM svc.records
        WHERE key = ANY (${arrayOf(encoded)}::text::bytea[])
          AND (expires_at IS NULL OR expires_at > clock_timestamp())`
    );
    const found = new Map(rows.map((row) => [row.key.toHex(), row]));
    const entries = keys.map((key, index) => {
      const row = found.get(encoded[index]!);
      return row === undefined
        ? { key, value: null, versionstamp: null }
        : { key, value: valueOf(row), versionstamp: versionstampOf(BigInt(row.version)) };
    });
    return entries as { [K in keyof T]: Deno.KvEntryMaybe<T[K]> };
  }

  list<T = unknown>(
    selector: Deno.KvListSelector,
    { limit = Infinity, cursor, reverse = false, batchSize = BATCH }: Deno.KvListOptions = {},
  ): PgList<T> {
    const after = (range: KeyRange, cursor: string) => rangeAfter(range, cursor, reverse);
    const whole = rangeOf(selector);
    const range = cursor === undefined || cursor === "" ? whole : after(whole, cursor);
    return new PgList<T>(
      range,
      { limit, batchSize: Math.min(batchSize, MAX_BATCH), after },
      async ({ start, end }, most) => {
        const rows = await this.connections.run((sql) =>
          sql<Row[]>`
            SELECT key, value, number, version FROM svc.records
            WHERE key >= ${start} AND key < ${end}
              AND (expires_at IS NULL OR expires_at > clock_timestamp())
            ORDER BY key ${reverse ? sql`DESC` : sql`ASC`} LIMIT ${most}`
        );
        return rows.map((row) => ({ encoded: row.key, entry: entryOf<T>(row) }));
      },
    );
  }

  watch(): never {
    refuse("watch()");
  }

  enqueue(): never {
    refuse("queues");
  }

  listenQueue(): never {
    refuse("queues");
  }

  commitVersionstamp(): never {
    refuse("keys with the version of their commit");
  }

  /** Queries that run come to their end; later ones fail. */
  close(): void {
    void this.connections.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function entryOf<T>(row: Row): Deno.KvEntry<T> {
  return {
    key: decodeKey(row.key),
    value: valueOf(row) as T,
    versionstamp: versionstampOf(BigInt(row.version)),
  };
}

/** An array of bytes as PostgreSQL reads it. */
function arrayOf(hex: readonly string[]): string {
  return `{${hex.map((each) => `"\\\\x${each}"`).join(",")}}`;
}
