/**
 * @module Keeps tables small and statistics fresh. A PostgreSQL server does this in separate
 * processes. Here, the only backend handles one table at a time while no client needs the backend,
 * with the thresholds of PostgreSQL's autovacuum.
 */
import { BackendError } from "../multiplex/backend.ts";

/** Minimum time between two checks of the tables, in milliseconds. */
const PAUSE_MS = 60_000;
/** If clients keep the backend busy for this long, in milliseconds, the work runs anyway. */
const BUSY_MS = 5 * 60_000;
/**
 * Maximum time that one table may delay clients, in milliseconds. Longer work waits until the
 * database stops.
 */
const TABLE_MS = 5_000;
/** Maximum time that all tables together may delay stopping the database, in milliseconds. */
const STOP_MS = 5_000;

const COUNT = "SELECT pg_catalog.pg_stat_force_next_flush()";

/**
 * Selects the statement for each table that is due, starting with the table that needs the most
 * work.
 */
const DUE = `WITH tables AS (
  SELECT format('%I.%I', s.schemaname, s.relname) AS name, s.n_dead_tup AS dead,
    greatest(c.reltuples, 0) AS rows, s.n_ins_since_vacuum AS inserted,
    s.n_mod_since_analyze AS changed, age(c.relfrozenxid) > 200000000 AS is_old
  FROM pg_catalog.pg_stat_all_tables s JOIN pg_catalog.pg_class c ON c.oid = s.relid
  WHERE c.relkind IN ('r', 'm') AND c.relpersistence <> 't' AND NOT c.relisshared
    AND NOT coalesce(c.reloptions, '{}') @> '{autovacuum_enabled=false}'
), due AS (
  SELECT name, dead, changed > 50 + 0.1 * rows AS is_stale,
    is_old OR dead > 50 + 0.2 * rows OR inserted > 1000 + 0.2 * rows AS is_full
  FROM tables
) SELECT CASE WHEN NOT is_full THEN 'ANALYZE ' WHEN is_stale THEN 'VACUUM (ANALYZE) '
    ELSE 'VACUUM ' END || name
  FROM due WHERE is_full OR is_stale ORDER BY dead DESC LIMIT 100`;

interface AutovacuumOptions {
  /**
   * Runs the platform's SQL as the branch's role.
   *
   * @throws {BackendError} also if the SQL takes longer than `limit`, in milliseconds
   */
  readonly ask: (sql: string, limit: number) => readonly (readonly (string | null)[])[];
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

export class Autovacuum {
  /** True if clients were active since the last check of the tables. */
  #hasNews = false;
  /** True if clients were active since the last tick. */
  #isBusy = false;
  #lookedAt: number;
  #due: string[] = [];
  /** Statements that took too long. They run again when the database stops. */
  readonly #put = new Set<string>();

  readonly #options: AutovacuumOptions;

  constructor(options: AutovacuumOptions) {
    this.#options = options;
    this.#lookedAt = options.now() - PAUSE_MS;
  }

  /** Called after a client's message has run. */
  note(): void {
    this.#hasNews = this.#isBusy = true;
  }

  /**
   * Called about once per second while no client has the backend. Handles one table, if any is due.
   */
  tick(): void {
    const wasBusy = this.#isBusy;
    this.#isBusy = false;
    const since = this.#options.now() - this.#lookedAt;
    if (wasBusy && since < BUSY_MS) return;
    const next = this.#due.shift();
    if (next !== undefined) return this.#run(next, TABLE_MS);
    if (this.#hasNews && since >= PAUSE_MS) this.#look();
  }

  /**
   * Called when the database stops. Everything that is due runs now, because the statistics are
   * lost when the database stops.
   */
  finish(): void {
    if (!this.#hasNews && this.#due.length === 0 && this.#put.size === 0) return;
    const end = this.#options.now() + STOP_MS;
    this.#put.clear();
    this.#look();
    for (const statement of this.#due) {
      const left = end - this.#options.now();
      if (left < 1) return;
      this.#run(statement, left);
    }
  }

  #look(): void {
    this.#hasNews = false;
    this.#lookedAt = this.#options.now();
    // The backend updates its counts once per second, or on request.
    this.#ask(COUNT, TABLE_MS);
    const due = this.#ask(DUE, TABLE_MS) ?? [];
    this.#due = due.map(([statement]) => statement!).filter((each) => !this.#put.has(each));
  }

  #run(statement: string, limit: number): void {
    if (this.#ask(statement, limit) === undefined) this.#put.add(statement);
  }

  /** Ignores errors of the backend, because a missing or broken table must not block the others. */
  #ask(sql: string, limit: number) {
    try {
      return this.#options.ask(sql, Math.ceil(limit));
    } catch (error) {
      if (!(error instanceof BackendError)) throw error;
      return undefined;
    }
  }
}
