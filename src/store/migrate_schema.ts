/** Migrates a store's schema to this program's version. @module */
import type { Sql, TransactionSql } from "postgres";
import { SCHEMA, type SchemaMigration } from "./schema.ts";
import { isConnectionLost } from "./server_fault.ts";

/** An error for a store that a newer program has migrated to a schema unknown to this program. */
export class StoreNewerError extends Error {
  override readonly name = "StoreNewerError";
}

/**
 * Locked during schema changes, so nodes that start at the same time change the schema one at a
 * time.
 */
const LOCK = 0x737663;

/** Creates or migrates the schema in one transaction. @throws {StoreNewerError} */
export async function migrateSchema(
  sql: Sql,
  migrations: readonly SchemaMigration[] = SCHEMA,
): Promise<void> {
  const known = migrations.at(-1)!.version;
  // A role that is not allowed to change the schema can still use a schema that is up to date.
  if (await versionOf(sql) === known) return;
  await inTransaction(sql, async (sql) => {
    await sql`SELECT pg_advisory_xact_lock(${LOCK})`;
    await sql.unsafe(
      "CREATE SCHEMA IF NOT EXISTS svc;" +
        "CREATE TABLE IF NOT EXISTS svc.migrations " +
        "(version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp())",
    );
    const found = await versionOf(sql);
    if (found > known) {
      throw new StoreNewerError(
        `a newer svc has migrated it to version ${found}, and this program supports versions ` +
          `up to ${known}. Run the newer program`,
      );
    }
    for (const migration of migrations) {
      if (migration.version <= found) continue;
      await sql.unsafe(migration.sql);
      await sql`INSERT INTO svc.migrations (version) VALUES (${migration.version})`;
    }
  });
}

/**
 * Runs a transaction. If the work fails, the library rolls back. If the connection is lost, that
 * rollback would crash svc (https://github.com/porsager/postgres/issues/1208). Therefore, if the
 * connection is lost, the promise for the work never settles. The library itself reports the closed
 * connection.
 */
async function inTransaction(
  sql: Sql,
  work: (sql: TransactionSql) => Promise<void>,
): Promise<void> {
  const never = new Promise<never>(() => {});
  await sql.begin((sql) =>
    work(sql).catch((error) => {
      if (isConnectionLost(error)) return never;
      throw error;
    })
  );
}

/** Returns the version of the schema; 0 if there is none. */
async function versionOf(sql: Pick<Sql, "unsafe">): Promise<number> {
  const [row] = await sql.unsafe("SELECT to_regclass('svc.migrations') IS NOT NULL AS made");
  if (row?.made !== true) return 0;
  const [last] = await sql.unsafe(
    "SELECT coalesce(max(version), 0) AS version FROM svc.migrations",
  );
  return Number(last?.version);
}
