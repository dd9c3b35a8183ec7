/** @module Both engines, for tests that must pass on both. */
import { join } from "node:path";
import { databaseProcessCommand } from "./embedded/process_command.ts";
import { EmbeddedEngine } from "./embedded/embedded_engine.ts";
import { openTestEngine } from "./server/_test_server.ts";
import type { Branch, DatabaseEngine } from "./types.ts";

/** Each engine, with an empty folder. */
export const ENGINES: Readonly<Record<string, (folder: string) => Promise<DatabaseEngine>>> = {
  embedded: (folder) =>
    Promise.resolve(
      new EmbeddedEngine({
        folder: join(folder, "databases"),
        command: databaseProcessCommand({ env: Deno.env.toObject() }),
      }),
    ),
  server: openTestEngine,
};

/**
 * Returns the names of the database and the role, as SQL shows them. A server uses names derived
 * from the branch ID.
 */
export function shownNames({ kind }: DatabaseEngine, { id, database, role }: Branch) {
  const own = `svc_${id}`;
  return kind === "server" ? { database: own, role: own } : { database, role };
}
