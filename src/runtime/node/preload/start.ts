/**
 * Data about the server for a Node process when it starts.
 *
 * @module
 */

import type { Listening } from "../../compute/wire.ts";

/** How a server listens, and on which port if not its assigned one. */
export interface NodeListening extends Listening {
  readonly port?: number;
  /** True if the server asked for any free port. */
  readonly isAny?: boolean;
  /** Why requests cannot go to the port: another protocol is spoken there. */
  readonly refused?: string;
}

export interface PreloadStart {
  /** Absolute path of the deployment's folder. */
  readonly directory: string;
  /** Absolute path of the entry; missing if a command starts the server, maybe in another process. */
  readonly entry?: string;
  /** This file as NODE_OPTIONS names it, for the processes that this one starts. */
  readonly preload?: string;
  /**
   * Path of the Unix socket where the server listens. For another port than its own, it ends with
   * that port: the parent process decides about its use.
   */
  readonly socket: string;
  /** Path of the Unix socket of the process that started this one. */
  readonly control: string;
  /** The port of the server's visible address. */
  readonly port: number;
  readonly host: string;
  /** Names that lead to the platform, as it listens on the loopback address. */
  readonly hosts: readonly string[];
}
