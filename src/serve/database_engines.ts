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
import { type CertificateFiles, readCertificateFiles } from "../platform/certificates/mod.ts";
import type { DatabaseParts, EngineSource } from "../platform/databases/mod.ts";
import type { PlatformOptions } from "./options.ts";

/** How long a certificate is used before its files are read again, in milliseconds. */
const CERTIFICATE_MS = 10 * 60_000;

/** Port for PostgreSQL clients, where none is given. */
const POSTGRES_PORT = 8788;

/** Where clients of databases connect. */
export function databaseListener(
  { host, postgresPort, tls }: Pick<PlatformOptions, "host" | "postgresPort" | "tls">,
  { publicOrigin, now, onTrouble }: Pick<Foundation, "publicOrigin" | "now" | "onTrouble">,
): DatabaseParts["listen"] {
  const port = postgresPort === undefined ? POSTGRES_PORT : postgresPort;
  return {
    ...{ host, port, publicHost: new URL(publicOrigin).hostname },
    ...(tls === undefined ? {} : { certificate: currentCertificate(tls, { now, onTrouble }) }),
  };
}

/** Reads the operator's certificate again now and then, as it is renewed in place. */
function currentCertificate(
  files: CertificateFiles,
  { now, onTrouble }: Pick<Foundation, "now" | "onTrouble">,
): NonNullable<DatabaseParts["listen"]["certificate"]> {
  let read: { readonly at: number; readonly pair: ReturnType<typeof readCertificateFiles> };
  return async () => {
    const last = read;
    if (last !== undefined && now() - last.at < CERTIFICATE_MS) return await last.pair;
    const pair = readCertificateFiles(files, now()).catch((error) => {
      if (last === undefined) throw error;
      onTrouble(`Keeping the old certificate for databases: ${error}`);
      return last.pair;
    });
    read = { at: now(), pair };
    return await pair;
  };
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
