/** @module Starts PostgreSQL's client programs, such as `pg_dump`. */
import { join } from "node:path";
import { spawnProgram } from "../../lib/spawn_program.ts";
import { EngineError } from "../types.ts";
import type { ServerSource } from "./server_source.ts";

/** Maximum number of a program's output lines in a message. */
const LINES = 2;

interface ClientProgram {
  readonly child: Deno.ChildProcess;
  /** Waits until the program exits. Returns why it failed, or `undefined` if it succeeded. */
  failure(): Promise<string | undefined>;
}

/**
 * Starts a program that signs in as the platform's role. The password is in its
 * environment, which only root and the platform's user can read.
 *
 * @throws {EngineError} if the program is not installed, or if the server can't be reached
 */
export async function startClientProgram(
  source: ServerSource,
  { program, database, args }: {
    readonly program: "pg_dump" | "pg_restore";
    readonly database: string;
    readonly args: readonly string[];
  },
): Promise<ClientProgram> {
  const { programsFolder } = source;
  const path = programsFolder === undefined ? program : join(programsFolder, program);
  const env = await environment(source, database);
  const child = start(path, { program, args: [...args], env });
  const said = new Response(child.stderr).text();
  return {
    child,
    async failure() {
      if ((await child.status).success) return undefined;
      return (await said).trim().split("\n").slice(0, LINES).join(" ");
    },
  };
}

async function environment(
  source: ServerSource,
  database: string,
): Promise<Record<string, string>> {
  const { address: { endpoint, tls }, login } = await source.reach();
  const [host, port] = endpoint.transport === "tcp"
    ? [endpoint.hostname, String(endpoint.port)]
    : [endpoint.path.replace(/\/[^/]*$/, ""), endpoint.path.replace(/.*\./, "")];
  return {
    PATH: Deno.env.get("PATH") ?? "",
    PGHOST: host,
    PGPORT: port,
    PGDATABASE: database,
    PGUSER: login.user,
    PGPASSWORD: login.password ?? "",
    // Programs that were built without TLS refuse any certificate, even an unused one.
    ...tls === undefined
      ? { PGSSLMODE: "disable" }
      : { PGSSLMODE: "verify-full", PGSSLROOTCERT: tls.caFile ?? "system" },
  };
}

function start(
  path: string,
  { program, args, env }: {
    readonly program: string;
    readonly args: string[];
    readonly env: Record<string, string>;
  },
): Deno.ChildProcess {
  try {
    return spawnProgram(path, {
      args,
      env,
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    });
  } catch (cause) {
    throw new EngineError(
      `${program} is not installed on the platform's machine: install the PostgreSQL client there`,
      "58000",
      { cause },
    );
  }
}
