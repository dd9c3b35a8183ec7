/**
 * The engines of databases that the operator has set up, and where their
 * clients connect.
 *
 * @module
 */
import { join } from "node:path";
import { databaseProcessCommand, EmbeddedEngine, openServerEngine } from "../database/mod.ts";
import { machineMemory } from "../lib/machine_memory.ts";
import type { Foundation } from "../platform/core/foundation.ts";
import type { EngineSource } from "../platform/databases/mod.ts";
import type { PlatformOptions } from "./options.ts";

/** Port for PostgreSQL clients, where none is given. */
const POSTGRES_PORT = 8788;

/** Where clients of databases connect. */
export function databaseListener(
  { host, postgresPort }: Pick<PlatformOptions, "host" | "postgresPort">,
  { publicOrigin }: Pick<Foundation, "publicOrigin">,
): { readonly host: string; readonly port: number | null; readonly publicHost: string } {
  const port = postgresPort === undefined ? POSTGRES_PORT : postgresPort;
  return { host, port, publicHost: new URL(publicOrigin).hostname };
}

/** What opens each engine, when it is first needed. */
export function databaseEngines(
  { postgres }: Pick<PlatformOptions, "postgres">,
  { dataDir, env, onTrouble }: Pick<Foundation, "dataDir" | "env" | "onTrouble">,
): EngineSource {
  const embedded = () =>
    Promise.resolve(
      new EmbeddedEngine({
        folder: join(dataDir.root, "databases"),
        command: databaseProcessCommand({ env }),
      }),
    );
  if (postgres === undefined) return { usual: "embedded", open: { embedded } };
  const server = () =>
    openServerEngine({
      postgres,
      dataFolder: dataDir.root,
      memoryBytes: machineMemory(),
      onTrouble,
    });
  return { usual: "server", open: { embedded, server } };
}
