/**
 * @module Copies a database: by copying its files if no client is connected, otherwise with a dump.
 */
import { type CopyMethod, EngineError } from "../types.ts";
import type { Admin } from "./admin.ts";
import { startClientProgram } from "./client_program.ts";
import { quoteLiteral, unfinishedName } from "./names.ts";
import type { ServerSource } from "./server_source.ts";

/** SQLSTATE for a database that has other clients. */
const IN_USE = "55006";
/** SQLSTATEs for a disk that cannot clone files, or a server without the setting. */
const NO_CLONES: ReadonlySet<string> = new Set(["0A000", "22023", "42704", "58P01", "XX000"]);
/** The first PostgreSQL version that clones files (`file_copy_method`). */
const CLONING_VERSION = 18;

interface CopyOptions {
  readonly source: string;
  /** Name of the copy. A role with this name already exists. */
  readonly target: string;
  /** Version of the server, for example `18.1`. */
  readonly version: string;
}

/**
 * Creates `target` as a copy owned by its own role. The copy has a different name until it is
 * complete.
 *
 * @throws {EngineError}
 */
export async function copyDatabase(
  { admin, server }: { readonly admin: Admin; readonly server: ServerSource },
  options: CopyOptions,
): Promise<CopyMethod> {
  const { target } = options;
  const unfinished = unfinishedName(target);
  await admin.run([`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`]);
  let method: CopyMethod = "copy";
  try {
    await refuseInUse(admin, options);
    method = await copyFiles(admin, options);
    await giveToTarget(admin, options);
  } catch (error) {
    if (!(error instanceof EngineError) || error.sqlState !== IN_USE) throw error;
    await copyRows({ admin, server, from: server }, options);
  }
  await admin.run([`ALTER DATABASE ${unfinished} RENAME TO ${target}`]);
  return method;
}

/**
 * Rejects a copy while the source has clients. The server would notice this too, but only after
 * five seconds.
 */
async function refuseInUse(admin: Admin, { source }: CopyOptions): Promise<void> {
  const clients = await admin.run([
    `SELECT 1 FROM pg_stat_activity WHERE datname = ${quoteLiteral(source)} ` +
    "AND backend_type = 'client backend' LIMIT 1",
  ]);
  if (clients.length > 0) throw new EngineError("The database is in use", IN_USE);
}

async function copyFiles(
  admin: Admin,
  { source, target, version }: CopyOptions,
): Promise<CopyMethod> {
  const create = `CREATE DATABASE ${unfinishedName(target)} TEMPLATE ${source}`;
  if (Number.parseInt(version) >= CLONING_VERSION) {
    try {
      await admin.run([`${create} STRATEGY file_copy`], { settings: "-c file_copy_method=clone" });
      return "clone";
    } catch (error) {
      if (!(error instanceof EngineError) || !NO_CLONES.has(error.sqlState)) throw error;
    }
  }
  await admin.run([create]);
  return "copy";
}

/**
 * Makes the target's role the owner of the copy. REASSIGN also changes the owner of the role's
 * databases, so the same commit restores the source's owner.
 */
async function giveToTarget(admin: Admin, { source, target }: CopyOptions): Promise<void> {
  const unfinished = unfinishedName(target);
  await admin.run([
    `REVOKE ALL ON DATABASE ${unfinished} FROM PUBLIC;
    REASSIGN OWNED BY ${source} TO ${target};
    DROP OWNED BY ${source};
    ALTER DATABASE ${source} OWNER TO ${source};
    ALTER DATABASE ${unfinished} OWNER TO ${target}`,
  ], { database: unfinished });
}

/**
 * Creates `target` as a copy of a database on another server.
 *
 * @throws {EngineError}
 */
export async function copyFromServer(
  through: { readonly admin: Admin; readonly server: ServerSource; readonly from: ServerSource },
  options: Pick<CopyOptions, "source" | "target">,
): Promise<void> {
  const { admin } = through;
  const unfinished = unfinishedName(options.target);
  await admin.run([`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`]);
  await copyRows(through, options);
  await admin.run([`ALTER DATABASE ${unfinished} RENAME TO ${options.target}`]);
}

/**
 * Copies the content with a dump. Sessions on the source continue. Privileges that were granted to
 * other roles are not copied.
 */
async function copyRows(
  { admin, server, from }: {
    readonly admin: Admin;
    readonly server: ServerSource;
    readonly from: ServerSource;
  },
  { source, target }: Pick<CopyOptions, "source" | "target">,
): Promise<void> {
  const unfinished = unfinishedName(target);
  await admin.run([
    `CREATE DATABASE ${unfinished} OWNER ${target} TEMPLATE template0 ENCODING 'UTF8'`,
    `REVOKE ALL ON DATABASE ${unfinished} FROM PUBLIC`,
  ]);
  const dump = await startClientProgram(from, {
    program: "pg_dump",
    database: source,
    args: ["--format=custom", "--compress=0", "--no-owner", "--no-privileges"],
  });
  const restore = await startClientProgram(server, {
    program: "pg_restore",
    database: unfinished,
    args: [
      `--dbname=${unfinished}`,
      "--no-owner",
      "--no-privileges",
      "--exit-on-error",
      "--single-transaction",
      `--role=${target}`,
    ],
  });
  await dump.child.stdin.close();
  const passed = await dump.child.stdout.pipeTo(restore.child.stdin).catch((error) => error);
  await restore.child.stdout.cancel();
  const reason = await dump.failure() ?? await restore.failure() ?? passed;
  if (reason === undefined) return;
  throw new EngineError(`Could not copy the database's rows: ${reason}`, "58000");
}
