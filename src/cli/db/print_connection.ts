/** @module Prints the connection string of a branch. */
import { getDatabaseConnection } from "../../contract/databases.ts";
import type { Context } from "../session/context.ts";
import { printable } from "../terminal/format.ts";
import type { OpenedDatabase } from "./open_database.ts";

/** Prints only the URL to stdout, so a shell can use it in other commands. Notes go to stderr. */
export async function printConnection(
  ctx: Context,
  { client, params, database }: OpenedDatabase,
  branch: string,
): Promise<void> {
  const connection = await client.call(getDatabaseConnection, {
    params,
    query: { branch },
  });
  if (ctx.ui.showsOnTerminal) {
    ctx.ui.note(
      `Contains the password of ${printable(branch)} of ${database.name}. Keep it secret`,
    );
  }
  if (database.state === "stopped") {
    const line = ctx.lines.ofProject("db", "start", database.name);
    ctx.ui.log(
      "db",
      "warn",
      `${database.name} is stopped and refuses connections. Start it: ${line}`,
    );
  }
  ctx.ui.result({ ...connection }, connection.url);
}
