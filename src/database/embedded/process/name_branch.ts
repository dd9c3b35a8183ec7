/**
 * Giving a branch's names to files that have others: those of an empty
 * database, or of the branch that they were copied from.
 *
 * @module
 */
import type { PGlite } from "@electric-sql/pglite";
import { quoteIdentifier, quoteLiteral } from "../multiplex/settings.ts";

interface Names {
  readonly database: string;
  readonly role: string | null;
}

/** Renames database and role, and makes the role where there is none yet. */
export async function nameBranch(
  pg: PGlite,
  wanted: Names & { readonly role: string },
  former: Names,
): Promise<void> {
  const role = quoteIdentifier(wanted.role);
  const has = async (name: string): Promise<boolean> => {
    const sql = `SELECT FROM pg_catalog.pg_roles WHERE rolname = ${quoteLiteral(name)}`;
    return (await pg.query(sql)).rows.length > 0;
  };
  await pg.exec("BEGIN");
  if (!await has(wanted.role)) {
    await pg.exec(
      former.role !== null && await has(former.role)
        ? `ALTER ROLE ${quoteIdentifier(former.role)} RENAME TO ${role}`
        : `CREATE ROLE ${role} LOGIN`,
    );
  }
  // ALTER DATABASE does not rename the one that is connected to.
  await pg.exec(`UPDATE pg_catalog.pg_database SET datname = ${quoteLiteral(wanted.database)},
    datdba = ${quoteLiteral(role)}::regrole WHERE datname = pg_catalog.current_database()`);
  await pg.exec("COMMIT");
}
