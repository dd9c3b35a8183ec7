/** Sockets for connections to PostgreSQL. @module */
import net from "node:net";

/**
 * A socket that ignores late errors. The PostgreSQL client removes all listeners once a connection
 * is closed. After that, Deno 2.7 may report an error for a write that had already started, and an
 * error without a listener would crash the process.
 */
export class StoreSocket extends net.Socket {
  constructor() {
    super();
    this.on("error", ignore);
  }

  override removeAllListeners(event?: string | symbol): this {
    // Without an argument, the call removes all listeners. `undefined` would count as an argument.
    if (event === undefined) super.removeAllListeners();
    else super.removeAllListeners(event);
    return this.listeners("error").includes(ignore) ? this : this.on("error", ignore);
  }
}

/**
 * Ignores an error. While the client uses the socket, the client's own listener also receives
 * errors.
 */
function ignore(): void {}
