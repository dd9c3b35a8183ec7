/**
 * The engine over a PostgreSQL server, from what the operator gave.
 *
 * @module
 */
import { createHmac, randomBytes } from "node:crypto";
import { join } from "node:path";
import { LocalCluster, runningCluster } from "./local/local_cluster.ts";
import { parseServerUrl } from "./server_address.ts";
import { ServerEngine } from "./server_engine.ts";
import { remoteServer } from "./server_source.ts";

/** Starts a PostgreSQL of the machine in the data folder. */
export const LOCAL = "local";

const KEY_BYTES = 32;

export interface OpenServerOptions {
  /** `local`, or `postgres://…` with a role that may create databases and roles. */
  readonly postgres: string;
  /** The platform's own, where the key of the roles' passwords is kept. */
  readonly dataFolder: string;
  readonly memoryBytes: number;
  /** Whether a local server that another process runs is used, and left running. */
  readonly attaches?: boolean;
  readonly onTrouble: (message: string) => void;
}

/**
 * Opens the engine; a local server starts in the background.
 *
 * @throws {Error} with a message for the operator
 */
export async function openServerEngine(options: OpenServerOptions): Promise<ServerEngine> {
  const { postgres, dataFolder, memoryBytes, onTrouble } = options;
  const variable = (name: string) => Deno.env.get(name);
  if (postgres !== LOCAL) {
    const server = parseServerUrl(postgres, { variable, readFile: Deno.readTextFileSync });
    return new ServerEngine({ source: remoteServer(server), key: await readKey(dataFolder) });
  }
  const key = await readKey(dataFolder);
  const local = { dataFolder, password: adminPassword(key), path: variable("PATH") ?? "" };
  const running = options.attaches === true ? await runningCluster(local) : undefined;
  const source = running ?? await LocalCluster.open({ ...local, memoryBytes, onTrouble });
  return new ServerEngine({ source, key });
}

/** The password of a local server's own role. */
export function adminPassword(key: Uint8Array): string {
  return createHmac("sha256", key).update("admin").digest("base64url");
}

/** Made once: what is in it signs in to all databases. */
async function readKey(dataFolder: string): Promise<Uint8Array> {
  const path = join(dataFolder, "postgres.key");
  try {
    const bytes = await Deno.readFile(path);
    if (bytes.byteLength === KEY_BYTES) return bytes;
    throw new Error(`${path} is damaged: restore it from a backup of the data folder`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  await Deno.mkdir(dataFolder, { recursive: true });
  const key = new Uint8Array(randomBytes(KEY_BYTES));
  const unfinished = `${path}.new`;
  await Deno.writeFile(unfinished, key, { mode: 0o600 });
  await Deno.rename(unfinished, path);
  return key;
}
