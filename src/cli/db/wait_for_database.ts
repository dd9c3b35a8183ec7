/** @module Waits until the platform has created a database. */
import type { Client } from "../../client/client.ts";
import { type Database, getDatabase } from "../../contract/databases.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { formatDuration, printable } from "../terminal/format.ts";
import { listBranches } from "./open_database.ts";

/** Initial and maximum pause between two status requests, in milliseconds. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [100, 2000];
/** Minimum time between two lines of progress, in milliseconds. */
const REPORT_EVERY = 5000;
/** Maximum time to wait, in milliseconds. */
const LONGEST_WAIT = 10 * 60_000;

/** Creates the error for a database that the platform could not create or move. */
export function databaseFailed(
  ctx: Context,
  { name, reason }: Database,
  wanted: "created" | "moved",
): CliError {
  const why = reason === null ? "the platform gives no reason" : printable(reason);
  const info = ctx.lines.ofProject("db", "info", name);
  return new CliError("database_failed", `Database ${name} was not ${wanted}: ${why}`, {
    next: wanted === "moved"
      ? [info]
      : [info, ctx.lines.ofProject("db", "delete", name, "--force")],
  });
}

/** Fetches a database. A database counts as moving until all its branches have moved. */
async function look(
  client: Client,
  { projectId, id }: Database,
  wanted: "created" | "moved",
): Promise<Database> {
  const params = { project: projectId, database: id };
  const database = await client.call(getDatabase, { params });
  if (wanted === "created" || database.state !== "active") return database;
  const branches = await listBranches(client, database);
  const moves = branches.some(({ state }) => state === "creating");
  return moves ? { ...database, state: "creating" } : database;
}

/** Waits until the database is active, and returns it. Reports progress. */
export async function waitForDatabase(
  ctx: Context,
  client: Client,
  created: Database,
  wanted: "created" | "moved" = "created",
): Promise<Database> {
  const startedAt = ctx.now();
  let reportedAt = startedAt;
  let pause = FIRST_PAUSE;
  let database = created;
  const doing = wanted === "created" ? "creating" : "moving";
  if (database.state === "creating" && wanted === "created") {
    ctx.ui.log("db", "info", `Creating ${database.name} (${database.engine})`);
  }
  while (database.state === "creating") {
    const waited = ctx.now() - startedAt;
    if (waited > LONGEST_WAIT) {
      throw new CliError(
        "database_failed",
        `Database ${database.name} is still being ${wanted} after ${formatDuration(waited)}`,
        { next: [ctx.lines.ofProject("db", "info", database.name)] },
      );
    }
    if (ctx.now() - reportedAt >= REPORT_EVERY) {
      reportedAt = ctx.now();
      ctx.ui.log("db", "info", `Still ${doing} ${database.name}: ${formatDuration(waited)}`);
    }
    await ctx.sleep(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
    database = await look(client, created, wanted);
  }
  if (database.state === "failed") throw databaseFailed(ctx, database, wanted);
  return database;
}
