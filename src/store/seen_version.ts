/**
 * The highest known version of the store, which reveals a stale server: an old primary may respond
 * for a moment after another has taken over.
 *
 * @module
 */
import { StaleServerError } from "./server_fault.ts";

/** How long reads wait while only outdated servers respond. */
const MAX_STALE_MS = 30_000;

export class SeenVersion {
  #version = 0n;
  /** Since when all responses came from a server that is behind. */
  #staleSince: number | undefined;

  readonly #monotonic;

  /** @param monotonic milliseconds, on a clock that is never set back */
  constructor(monotonic = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  /** The newest known version, which a read that starts now must see. */
  get version(): bigint {
    return this.#version;
  }

  /**
   * Records the version that a read has seen. If commits were lost because a standby without them
   * took over, the node accepts the server's version after half a minute.
   *
   * @param known the version known when the read began
   * @throws {StaleServerError} if the server is behind it.
   */
  read(version: bigint, known: bigint): void {
    if (version < known) {
      this.#staleSince ??= this.#monotonic();
      if (this.#monotonic() - this.#staleSince < MAX_STALE_MS) throw new StaleServerError();
      this.#version = version;
    } else if (version > this.#version) this.#version = version;
    this.#staleSince = undefined;
  }

  /** Records the version of a commit, which only a primary creates. */
  committed(version: bigint, known: bigint): void {
    if (version > this.#version || version < known) this.#version = version;
  }
}
