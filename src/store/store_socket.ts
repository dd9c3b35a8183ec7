/** The sockets to PostgreSQL. @module */
import net from "node:net";

/**
 * A socket whose late errors are ignored. The PostgreSQL client removes all listeners once a
 * connection is closed; Deno 2.7 may then report a write that had already started, and an error
 * without a listener would end the process.
 */
export class StoreSocket extends net.Socket {
  constructor() {
    super();
    this.on("error", ignore);
  }

  override removeAllListeners(event?: string | symbol): this {
    // All of them without an argument; `undefined` counts as one.
    if (event === undefined) super.removeAllListeners();
    else super.removeAllListeners(event);
    return this.listeners("error").includes(ignore) ? this : this.on("error", ignore);
  }
}

/** The client gets errors as long as it uses the socket. */
function ignore(): void {}
