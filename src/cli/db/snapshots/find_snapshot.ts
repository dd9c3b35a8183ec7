import {
  type DatabaseSnapshot,
  listDatabaseSnapshots,
} from "../../../contract/database_branches.ts";
import { CliError } from "../../errors/cli_error.ts";
import type { Context } from "../../session/context.ts";
import { printable } from "../../terminal/format.ts";
import type { OpenedDatabase } from "../open_database.ts";

/**
 * Finds the snapshot with the given ID, or the newest one for `latest`. Throws `not_found` if it
 * does not exist.
 */
export async function findSnapshot(
  ctx: Context,
  { client, database, params }: OpenedDatabase,
  reference: string,
): Promise<DatabaseSnapshot> {
  const { items } = await client.call(listDatabaseSnapshots, { params });
  const found = reference === "latest"
    ? items[0]
    : items.find(({ id }) => id === reference.toLowerCase());
  if (found !== undefined) return found;
  throw new CliError(
    "not_found",
    `Database ${database.name} has no snapshot "${printable(reference)}"`,
    { next: [ctx.lines.ofProject("db", "snapshots", "--database", database.name)] },
  );
}
