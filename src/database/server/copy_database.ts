/**
 * Copying a database within its server.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import { type CopyMethod, EngineError } from "../types.ts";
import type { Admin } from "./admin.ts";
import { unfinishedName } from "./names.ts";
import type { ServerSession } from "./server_session.ts";

/** Sessions that end by themselves get so long, in milliseconds. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 50;
const IN_USE = "55006";

export interface CopyOptions {
  readonly source: string;
  /** Its role is there already. */
  readonly target: string;
  readonly sessions: readonly ServerSession[];
}

/**
 * Makes `target` as a copy that its own role owns. It has another name until it
 * is whole.
 *
 * @throws {EngineError}
 */
export async function copyDatabase(
  admin: Admin,
  { source, target }: CopyOptions,
): Promise<CopyMethod> {
  const unfinished = unfinishedName(target);
  await admin.run([`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`]);
  await createFrom(admin, { source, unfinished });
  await admin.run([`REVOKE ALL ON DATABASE ${unfinished} FROM PUBLIC`]);
  // REASSIGN takes databases of the role along: the source is given back.
  await admin.run([
    `BEGIN;
    REASSIGN OWNED BY ${source} TO ${target};
    DROP OWNED BY ${source};
    ALTER DATABASE ${source} OWNER TO ${source};
    ALTER DATABASE ${unfinished} OWNER TO ${target};
    COMMIT`,
  ], unfinished);
  await admin.run([`ALTER DATABASE ${unfinished} RENAME TO ${target}`]);
  return "copy";
}

async function createFrom(
  admin: Admin,
  { source, unfinished }: { readonly source: string; readonly unfinished: string },
): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      await admin.run([`CREATE DATABASE ${unfinished} TEMPLATE ${source}`]);
      return;
    } catch (error) {
      if (!(error instanceof EngineError) || error.sqlState !== IN_USE) throw error;
      if (performance.now() > end) {
        throw new EngineError(
          "The database cannot be copied while it is in use: close its connections first",
          IN_USE,
        );
      }
      await delay(PAUSE_MS);
    }
  }
}
