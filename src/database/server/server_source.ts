/**
 * Where the engine's PostgreSQL server comes from.
 *
 * @module
 */
import type { Login, ServerAddress } from "./server_address.ts";

export interface ServerSource {
  /** Folder of `pg_dump`; `undefined` for those of the variable `PATH`. */
  readonly programsFolder: string | undefined;
  /** Why it can't be reached now; `undefined` where nothing is known against it. */
  readonly problem: string | undefined;
  /**
   * Where it is, and the role that may create databases and roles.
   *
   * @throws {EngineError} where it does not take connections
   */
  reach(): Promise<{ readonly address: ServerAddress; readonly login: Login }>;
  close(): Promise<void>;
}

/** A server that somebody else runs. */
export function remoteServer(
  { address, login }: { readonly address: ServerAddress; readonly login: Login },
): ServerSource {
  return {
    programsFolder: undefined,
    problem: undefined,
    reach: () => Promise.resolve({ address, login }),
    close: () => Promise.resolve(),
  };
}
