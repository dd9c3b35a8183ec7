/**
 * The database engines that the operator has set up, and the listener for their clients. @module
 */
import { join } from "node:path";
import {
  databaseProcessCommand,
  EmbeddedEngine,
  LOCAL,
  openServerEngine,
  removeHistory,
} from "../database/mod.ts";
import { machineMemory } from "../lib/machine_memory.ts";
import type { Foundation } from "../platform/core/foundation.ts";
import { sealedSetting } from "../platform/core/secrets/mod.ts";
import { type CertificateFiles, readCertificateFiles } from "../platform/certificates/mod.ts";
import type { DatabaseParts, EngineSource } from "../platform/databases/mod.ts";
import type { CompleteOptions } from "./options.ts";

/** Time after which a certificate's files are read again, in milliseconds. */
const CERTIFICATE_MS = 10 * 60_000;

const DAY_MS = 24 * 60 * 60_000;

const SHARED_KEY_BYTES = 32;

/**
 * Default port for PostgreSQL clients: the one after the platform's port, or any free port. Each
 * platform on a machine thus has its own.
 */
const postgresPortBeside = (port: number): number => port === 0 || port === 65535 ? 0 : port + 1;

/** Creates the listener for database clients. */
export function databaseListener(
  { host, port: own, postgresPort, tls }: Pick<
    CompleteOptions,
    "host" | "port" | "postgresPort" | "tls"
  >,
  { publicOrigin, now, onTrouble }: Pick<Foundation, "publicOrigin" | "now" | "onTrouble">,
): DatabaseParts["listen"] {
  const port = postgresPort === "none" ? null : postgresPort ?? postgresPortBeside(own);
  return {
    host,
    port,
    publicHost: new URL(publicOrigin).hostname,
    ...(tls === undefined ? {} : { certificate: currentCertificate(tls, { now, onTrouble }) }),
  };
}

/** Rereads the operator's certificate regularly, because it is renewed in place. */
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

/** If nodes share records, databases in one node's data directory could be lost. */
const LACK_OF_NODES = "This platform's nodes share records, so databases need a " +
  "PostgreSQL server that all nodes can reach. Set SVC_POSTGRES_URL to its URL on every node";

/**
 * Returns the key that all nodes use on a server, so no node resets the passwords that another node
 * has set.
 */
async function sharedKey(
  { kv, box, random }: Pick<Foundation, "box" | "kv" | "random">,
  own: Uint8Array | undefined,
): Promise<Uint8Array> {
  const make = () => (own ?? random(SHARED_KEY_BYTES)).toHex();
  return Uint8Array.fromHex(await sealedSetting({ kv, box }, "database_server_key", make));
}

/** Opens each engine on first use. */
export function databaseEngines(
  { postgres, databaseHistory }: Pick<CompleteOptions, "databaseHistory" | "postgres">,
  foundation: Pick<
    Foundation,
    "box" | "dataDir" | "env" | "kv" | "nodes" | "now" | "onTrouble" | "random"
  >,
): EngineSource {
  const { dataDir, env, nodes, now, onTrouble } = foundation;
  const { days, bytes: maxBytes } = databaseHistory;
  const folder = join(dataDir.root, "databases");
  const history = days > 0 ? { keepMs: days * DAY_MS, maxBytes, now } : undefined;
  const embedded = async () => {
    if (history === undefined) await removeHistory(folder);
    return new EmbeddedEngine({
      folder,
      command: databaseProcessCommand({ env }),
      ...(history === undefined ? {} : { history: { ...history, onTrouble } }),
    });
  };
  const server = () =>
    openServerEngine({
      postgres: postgres ?? LOCAL,
      dataFolder: dataDir.root,
      memoryBytes: machineMemory(),
      history,
      ...(nodes.isShared ? { sharedKey: (own) => sharedKey(foundation, own) } : {}),
      onTrouble,
    });
  if (nodes.isShared) {
    const isElsewhere = postgres !== undefined && postgres !== LOCAL;
    return { usual: "server", open: isElsewhere ? { server } : {}, lack: LACK_OF_NODES };
  }
  if (postgres === undefined) return { usual: "embedded", open: { embedded } };
  return { usual: "server", open: { embedded, server } };
}
