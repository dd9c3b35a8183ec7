/** @module The source of the engine's PostgreSQL server. */
import type { HistoryFacts } from "../types.ts";
import type { Login, ServerAddress } from "./server_address.ts";

/** Access to a server's earlier states. */
export interface ServerHistory {
  facts(): Promise<HistoryFacts>;
  /** Calls `work` with a server that has the state of all databases at a given time. */
  at<T>(time: number, work: (server: ServerSource) => Promise<T>): Promise<T>;
}

export interface ServerSource {
  /** Folder of `pg_dump`. If `undefined`, the folders in the `PATH` variable are searched. */
  readonly programsFolder: string | undefined;
  /** The server's past states, or `undefined` if there is no history. */
  readonly history: ServerHistory | undefined;
  /**
   * Returns the server's address, and the role that can create databases and roles.
   *
   * @throws {EngineError} if the server does not accept connections
   */
  reach(): Promise<ServerPlace>;
  close(): Promise<void>;
}

interface ServerPlace {
  readonly address: ServerAddress;
  readonly login: Login;
}

/** Returns a server that someone else runs. */
export const remoteServer = (place: ServerPlace): ServerSource => attachedServer(undefined, place);

/**
 * Returns a server that another process runs. `programsFolder` contains the programs of its
 * version.
 */
export function attachedServer(
  programsFolder: string | undefined,
  place: ServerPlace,
): ServerSource {
  return {
    programsFolder,
    history: undefined,
    reach: () => Promise.resolve(place),
    close: () => Promise.resolve(),
  };
}
