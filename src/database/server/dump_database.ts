/**
 * A database as SQL, by `pg_dump`.
 *
 * @module
 */
import { join } from "node:path";
import { spawnProgram } from "../../lib/spawn_program.ts";
import { type DumpOptions, EngineError } from "../types.ts";
import { WithoutRestriction } from "./without_restriction.ts";
import type { ServerSource } from "./server_source.ts";

export interface DumpDatabaseOptions extends DumpOptions {
  readonly name: string;
  /** Of the server. */
  readonly version: () => Promise<string>;
}

/** Rows of one INSERT. */
const ROWS = 200;

export function dumpDatabase(
  source: ServerSource,
  options: DumpDatabaseOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new TransformStream<
    Uint8Array<ArrayBuffer>,
    Uint8Array<ArrayBuffer>
  >();
  void write(source, options, writable).catch((error) => writable.abort(error).catch(() => {}));
  return readable;
}

async function write(
  source: ServerSource,
  { name, schemaOnly, version }: DumpDatabaseOptions,
  writable: WritableStream<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  const program = source.programsFolder === undefined
    ? "pg_dump"
    : join(source.programsFolder, "pg_dump");
  const { address: { endpoint, tls }, login } = await source.reach();
  const child = start(program, {
    args: [
      "--no-owner",
      "--no-privileges",
      "--inserts",
      `--rows-per-insert=${ROWS}`,
      ...(schemaOnly ? ["--schema-only"] : []),
    ],
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      PGDATABASE: name,
      PGUSER: login.user,
      PGPASSWORD: login.password ?? "",
      PGSSLMODE: tls === undefined ? "disable" : "verify-full",
      ...(endpoint.transport === "tcp"
        ? { PGHOST: endpoint.hostname, PGPORT: String(endpoint.port) }
        : {
          PGHOST: endpoint.path.replace(/\/[^/]*$/, ""),
          PGPORT: endpoint.path.replace(/.*\./, ""),
        }),
    },
  });
  const failure = new Response(child.stderr).text();
  try {
    await child.stdout.pipeThrough(new WithoutRestriction()).pipeTo(writable, {
      preventClose: true,
    });
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    await child.status;
  }
  if (!(await child.status).success) {
    const reason = (await failure).trim().split("\n").slice(0, 2).join(" ");
    throw new EngineError(`PostgreSQL ${await version()} could not be dumped: ${reason}`, "58000");
  }
  await writable.close();
}

function start(
  program: string,
  { args, env }: { readonly args: string[]; readonly env: Record<string, string> },
): Deno.ChildProcess {
  try {
    return spawnProgram(program, {
      args,
      env,
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
  } catch (cause) {
    throw new EngineError(
      "There is no pg_dump on the platform's machine: install the client of PostgreSQL there",
      "58000",
      { cause },
    );
  }
}
