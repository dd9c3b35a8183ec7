/** A store in PostgreSQL: ordered keys, checked commits, expiry by the database's clock. @module */
import { randomUUID } from "node:crypto";
import type { Sql } from "postgres";
import type { Connections } from "./connections.ts";
import { decodeKey } from "./key_encoding.ts";
import { type CommitData, encodeChanges, encodeRecordKey } from "./encode_changes.ts";
import { type KeyRange, rangeAfter, rangeOf } from "./key_range.ts";
import { RecordStore } from "./record_store.ts";
import type {
  Changes,
  Entry,
  Listing,
  ListOptions,
  ListSelector,
  MaybeEntry,
  Outcome,
  RecordKey,
} from "./record_types.ts";
import type { SeenVersion } from "./seen_version.ts";
import { versionstampOf } from "./versions.ts";

/** Default number of entries per batch in a listing. */
const BATCH = 500;
const MAX_BATCH = 1000;

/**
 * Maximum number of reported damaged keys that are remembered. Remembered keys are not reported
 * again.
 */
const MAX_UNREADABLE = 1000;

/** Returned by `svc.commit()` instead of a version if a check failed. */
const CHECK_FAILED = 0n;

interface Row {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly value: Uint8Array<ArrayBuffer> | null;
  readonly number: string | null;
  readonly version: string;
}

/**
 * A row of a query's result: a record, if it exists, with the store's version at the time of the
 * query.
 */
type SeenRow = { readonly clock: string } & (Row | { readonly key: null });

function valueOf({ value, number }: Row): unknown {
  return value ?? new Deno.KvU64(BigInt(number!));
}

/** The outcome of a commit that failed for a reason other than a check. */
export interface Failed {
  readonly failure: unknown;
}

function outcomeOf(version: bigint): Outcome | Failed {
  if (version === CHECK_FAILED) return { ok: false };
  if (version > CHECK_FAILED) return { ok: true, versionstamp: versionstampOf(version) };
  const message = "Cannot count: the stored value is not a counter (U64)";
  return { failure: new TypeError(message) };
}

function encodeOrFail(changes: Changes): CommitData | Failed {
  try {
    return encodeChanges(changes);
  } catch (failure) {
    return { failure };
  }
}

export class PgRecordStore extends RecordStore {
  /** Identifies this instance in the list of changes. */
  readonly writer = randomUUID();

  /**
   * Called once for each damaged key, which is then left out of listings. Without this callback,
   * listings that include such a key fail.
   */
  onUnreadable: ((encoded: Uint8Array<ArrayBuffer>) => void) | undefined;

  readonly #unreadable = new Set<string>();

  readonly #connections: Connections;
  readonly #seen: SeenVersion;

  constructor(connections: Connections, seen: SeenVersion) {
    super();
    this.#connections = connections;
    this.#seen = seen;
  }

  /** Commits changes in order, in one call. Each commit has its own outcome. */
  async writeAll(all: readonly Changes[]): Promise<(Outcome | Failed)[]> {
    const prepared = all.map(encodeOrFail);
    const data = prepared.filter((each): each is CommitData => !("failure" in each));
    const outcomes = data.length === 0 ? [] : await this.#send(data);
    let next = 0;
    return prepared.map((each) => "failure" in each ? each : outcomes[next++]!);
  }

  override async write(changes: Changes): Promise<Outcome> {
    const [outcome] = await this.#send([encodeChanges(changes)]);
    if ("failure" in outcome!) throw outcome.failure;
    return outcome!;
  }

  async #send(commits: readonly CommitData[]): Promise<(Outcome | Failed)[]> {
    // Each attempt has the same ID, so a commit that was stored is not stored again.
    const call = randomUUID();
    const data = JSON.stringify(commits);
    const known = this.#seen.version;
    const [row] = await this.#connections.run((sql) =>
      sql<{ outcomes: string }[]>`
        SELECT array_to_string(
          svc.commit(${call}::uuid, ${this.writer}::uuid, ${data}::text::jsonb), ' ') AS outcomes`
    );
    const versions = row!.outcomes.split(" ").map(BigInt);
    for (const version of versions) {
      if (version > CHECK_FAILED) this.#seen.committed(version, known);
    }
    return versions.map(outcomeOf);
  }

  /** Runs a query that returns at least one row. The rows contain the version of the store. */
  async #read(query: (sql: Sql) => Promise<readonly SeenRow[]>): Promise<readonly Row[]> {
    return await this.#connections.run(async (sql) => {
      const known = this.#seen.version;
      const rows = await query(sql);
      this.#seen.read(BigInt(rows[0]!.clock), known);
      return rows.filter((row): row is SeenRow & Row => row.key !== null);
    });
  }

  override async get<T = unknown>(key: RecordKey): Promise<MaybeEntry<T>> {
    const [entry] = await this.getMany<[T]>([key]);
    return entry;
  }

  override async getMany<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: RecordKey }],
  ): Promise<{ [K in keyof T]: MaybeEntry<T[K]> }> {
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
    return entries as { [K in keyof T]: MaybeEntry<T[K]> };
  }

  override async *list<T = unknown>(
    selector: ListSelector,
    { limit = Infinity, reverse = false, batchSize = BATCH }: ListOptions = {},
  ): Listing<T> {
    let range = rangeOf(selector);
    for (let left = limit; left > 0;) {
      const most = Math.min(left, batchSize, MAX_BATCH);
      const rows = await this.#readRange(range, { most, reverse });
      for (const row of rows) {
        const entry = this.#entryOf<T>(row);
        if (entry !== undefined) yield entry;
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < most) return;
      range = rangeAfter(range, last.key, reverse);
      left -= rows.length;
    }
  }

  async #readRange(
    { start, end }: KeyRange,
    { most, reverse }: { readonly most: number; readonly reverse: boolean },
  ): Promise<readonly Row[]> {
    return await this.#read((sql) => {
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
  }

  /**
   * Returns the entry in a row. If the entry's key is damaged, reports that once and returns
   * `undefined`.
   */
  #entryOf<T>(row: Row): Entry<T> | undefined {
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

  /** Closes the store. Queries that are already running finish, and later ones fail. */
  override close(): void {
    this.#connections.close().catch(() => {});
  }
}

/** Formats an array of bytes for PostgreSQL. */
function arrayOf(hex: readonly string[]): string {
  return `{${hex.map((each) => `"\\\\x${each}"`).join(",")}}`;
}
