/**
 * The highest known version of the store. This version reveals a stale server: an old primary may
 * still respond briefly after another server has taken over.
 *
 * @module
 */
import { StaleServerError } from "./server_fault.ts";

/** Maximum time that a read waits while only outdated servers respond, in milliseconds. */
const MAX_STALE_MS = 30_000;

export class SeenVersion {
  #version = 0n;
  /** Time of the first outdated response since the last current one. */
  #staleSince: number | undefined;

  readonly #monotonic;

  /** @param monotonic returns the milliseconds of a monotonic clock */
  constructor(monotonic = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  /** The newest known version. A read that starts now must see at least this version. */
  get version(): bigint {
    return this.#version;
  }

  /**
   * Records the version that a read has seen. If commits were lost because a standby that did not
   * have them took over, the node accepts the standby's version after half a minute.
   *
   * @param known the version known when the read began
   * @throws {StaleServerError} if the server is behind that version
   */
  read(version: bigint, known: bigint): void {
    if (version < known) {
      this.#staleSince ??= this.#monotonic();
      if (this.#monotonic() - this.#staleSince < MAX_STALE_MS) throw new StaleServerError();
      this.#version = version;
    } else if (version > this.#version) this.#version = version;
    this.#staleSince = undefined;
  }

  /** Records a commit's version. Only a primary creates commits. */
  committed(version: bigint, known: bigint): void {
    if (version > this.#version || version < known) this.#version = version;
  }
}
