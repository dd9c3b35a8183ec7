/**
 * A store in PostgreSQL behind the interface of Deno KV: bytes and counters by keys in
 * order, checked commits, and expiry by the database's clock.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import type { Sql } from "postgres";
import type { Connections } from "./connections.ts";
import { decodeKey } from "./key_encoding.ts";
import { type KeyRange, rangeAfter, rangeOf } from "./key_range.ts";
import { PgList } from "./pg_list.ts";
import { encodeRecordKey, type Outcome, PgOperation } from "./pg_operation.ts";
import type { SeenVersion } from "./seen_version.ts";
import { versionstampOf } from "./versions.ts";

/** Entries of one batch of a listing, unless the caller wants another number. */
const BATCH = 500;
const MAX_BATCH = 1000;

/** Damaged keys that are remembered as told of. */
const MAX_UNREADABLE = 1000;

/** What the function `svc.commit()` returns in place of a version. */
const CHECK_FAILED = 0n;

interface Row {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly value: Uint8Array<ArrayBuffer> | null;
  readonly number: string | null;
  readonly version: string;
}

/** A record, or none, beside the version of the store that the query has seen. */
type SeenRow = { readonly clock: string } & (Row | { readonly key: null });

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

  /** Is told once of each damaged key, which no listing has; without it, listing one fails. */
  onUnreadable: ((encoded: Uint8Array<ArrayBuffer>) => void) | undefined;

  readonly #unreadable = new Set<string>();

  constructor(
    private readonly connections: Connections,
    private readonly seen: SeenVersion,
  ) {}

  /** Commits operations in their order, in one call; each has its own outcome. */
  async commitAll(operations: readonly PgOperation[]): Promise<(Outcome | TypeError)[]> {
    // The same id in each attempt: one that was stored is not stored again.
    const call = randomUUID();
    const data = JSON.stringify(operations.map((operation) => operation.data));
    const known = this.seen.version;
    const [row] = await this.connections.run((sql) =>
      sql<{ outcomes: string }[]>`
        SELECT array_to_string(
          svc.commit(${call}::uuid, ${this.writer}::uuid, ${data}::text::jsonb), ' ') AS outcomes`
    );
    const versions = row!.outcomes.split(" ").map(BigInt);
    for (const version of versions) if (version > CHECK_FAILED) this.seen.committed(version, known);
    return versions.map(outcomeOf);
  }

  /** Runs a query whose rows have the version of the store, and of which there is one at least. */
  async #read(query: (sql: Sql) => Promise<readonly SeenRow[]>): Promise<readonly Row[]> {
    return await this.connections.run(async (sql) => {
      const known = this.seen.version;
      const rows = await query(sql);
      this.seen.read(BigInt(rows[0]!.clock), known);
      return rows.filter((row): row is SeenRow & Row => row.key !== null);
    });
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
    const rows = await this.#read((sql) =>
      sql<SeenRow[]>`
        SELECT clock.version AS clock, key, value, number, records.version
        FROM svc.clock LEFT JOIN svc.records ON key = ANY (${arrayOf(encoded)}::text::bytea[])
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
        const rows = await this.#read((sql) => {
          const order = reverse ? sql`DESC` : sql`ASC`;
          return sql<SeenRow[]>`
            SELECT clock.version AS clock, key, value, number, listed.version
            FROM svc.clock LEFT JOIN LATERAL (
              SELECT key, value, number, version FROM svc.records
              WHERE key >= ${start} AND key < ${end}
                AND (expires_at IS NULL OR expires_at > clock_timestamp())
              ORDER BY key ${order} LIMIT ${most}
            ) AS listed ON true ORDER BY key ${order}`;
        });
        return rows.map((row) => ({ encoded: row.key, entry: this.#entryOf<T>(row) }));
      },
    );
  }

  /** The entry of a row; `undefined`, and told once, where its key is damaged. */
  #entryOf<T>(row: Row): Deno.KvEntry<T> | undefined {
    try {
      return {
        key: decodeKey(row.key),
        value: valueOf(row) as T,
        versionstamp: versionstampOf(BigInt(row.version)),
      };
    } catch (error) {
      const name = row.key.toHex();
      const isTold = this.#unreadable.has(name);
      if (!isTold && this.#unreadable.size < MAX_UNREADABLE) this.#unreadable.add(name);
      if (this.onUnreadable === undefined) throw error;
      if (!isTold) this.onUnreadable(row.key);
      return undefined;
    }
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
    this.connections.close().catch(() => {});
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** An array of bytes as PostgreSQL reads it. */
function arrayOf(hex: readonly string[]): string {
  return `{${hex.map((each) => `"\\\\x${each}"`).join(",")}}`;
}
