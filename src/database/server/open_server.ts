/** @module Opens the engine on the PostgreSQL server that the operator configured. */
import { LocalCluster, runningCluster } from "./local/local_cluster.ts";
import type { HistoryOptions } from "./local/history.ts";
import { parseServerUrl } from "./server_address.ts";
import { ServerEngine } from "./server_engine.ts";
import { adminPassword, readKey, readKeyIfMade } from "./server_key.ts";
import { remoteServer } from "./server_source.ts";

/** Selects the PostgreSQL installed on this machine. Its data is in the data folder. */
export const LOCAL = "local";

interface OpenServerOptions {
  /** `local`, or `postgres://…` with a role that may create databases and roles. */
  readonly postgres: string;
  /** The platform's data folder, which contains the key for the roles' passwords. */
  readonly dataFolder: string;
  readonly memoryBytes: number;
  /** How much history a local server keeps. If missing, the server keeps none. */
  readonly history?: HistoryOptions;
  /**
   * Returns the 32-byte key for the passwords of roles on a remote server, given the data folder's
   * key, if any. Nodes that share the server need the same key. If this function is missing, the
   * data folder's key is used.
   */
  readonly sharedKey?: (own: Uint8Array | undefined) => Promise<Uint8Array>;
  /** Whether to use a local server that another process runs. That server is left running. */
  readonly attaches?: boolean;
  readonly onTrouble: (message: string) => void;
}

/**
 * Opens the engine. A local server starts in the background.
 *
 * @throws {Error} with a message for the operator
 */
export async function openServerEngine(options: OpenServerOptions): Promise<ServerEngine> {
  const { postgres, dataFolder, memoryBytes, history, sharedKey, onTrouble } = options;
  const variable = (name: string) => Deno.env.get(name);
  if (postgres !== LOCAL) {
    const server = parseServerUrl(postgres, { variable, readFile: Deno.readTextFileSync });
    const key = sharedKey === undefined
      ? await readKey(dataFolder)
      : await sharedKey(await readKeyIfMade(dataFolder));
    return new ServerEngine({ source: remoteServer(server), key });
  }
  const key = await readKey(dataFolder);
  const local = { dataFolder, password: adminPassword(key), path: variable("PATH") ?? "" };
  const running = options.attaches === true ? await runningCluster(local) : undefined;
  const source = running ?? await LocalCluster.open({ ...local, memoryBytes, history, onTrouble });
  return new ServerEngine({ source, key });
}
