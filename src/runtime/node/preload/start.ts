/** @module The data about a server that its Node process needs when it starts. */

import type { Listening } from "../../compute/wire.ts";

/** How a server listens, including its port if that is not the assigned port. */
export interface NodeListening extends Listening {
  readonly port?: number;
  /** True if the server requested any free port. */
  readonly isAny?: boolean;
  /** Why requests cannot go to the port, for example because it uses a different protocol. */
  readonly refused?: string;
}

export interface PreloadStart {
  /** Absolute path of the deployment's folder. */
  readonly directory: string;
  /** Absolute path of the entry; missing if a command starts the server. */
  readonly entry?: string;
  /** The path of this file in NODE_OPTIONS, for child processes. */
  readonly preload?: string;
  /**
   * Path of the Unix socket where the server listens. If the server listens on a port other than
   * its own, this port is appended to the path, and the parent process decides how to use the port.
   */
  readonly socket: string;
  /** Path of the Unix socket of the process that started this one. */
  readonly control: string;
  /** The port of the server's visible address. */
  readonly port: number;
  readonly host: string;
  /** Names that resolve to the platform, which listens on the loopback address. */
  readonly hosts: readonly string[];
}
