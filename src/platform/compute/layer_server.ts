/**
 * A layer's server, which is created on first use. Its responses determine its health.
 *
 * @module
 */
import { messageOf } from "../../lib/error_message.ts";
import type {
  ComputeFailure,
  ComputeHealth,
  ComputeRequest,
  ComputeResult,
  ComputeServer,
  ComputeSocketResult,
} from "../../runtime/mod.ts";

/**
 * Failures that count against the server. Timeouts do not count, because the server may still
 * respond to other requests.
 */
const OF_SERVER: ReadonlySet<ComputeFailure> = new Set([
  "cannot_start",
  "crashed",
  "memory",
]);

/** Number of consecutive failures after which the server counts as unhealthy. */
const FAILURES_IN_A_ROW = 2;

export class LayerServer {
  #server: Promise<ComputeServer> | undefined;
  /** The server; `undefined` until it is created. */
  #made: ComputeServer | undefined;
  /** Servers that are only finishing their running requests. */
  readonly #retiring = new Set<ComputeServer>();
  #closed = false;
  #failures = 0;
  #reason = "";

  readonly #create: () => Promise<ComputeServer>;

  /** `create` creates the server for the first request. */
  constructor(create: () => Promise<ComputeServer>) {
    this.#create = create;
  }

  fetch(request: ComputeRequest): Promise<ComputeResult> {
    return this.#ask((server) => server.fetch(request));
  }

  connect(request: Omit<ComputeRequest, "body">): Promise<ComputeSocketResult> {
    return this.#ask((server) => server.connect(request));
  }

  /** Starts the server if needed, and reports whether it listens. */
  async start(): Promise<ComputeHealth> {
    try {
      const health = await (await this.#get()).start();
      if (health.healthy) this.#failures = 0;
      return health;
    } catch (error) {
      return { healthy: false, reason: messageOf(error) };
    }
  }

  /** Checks the server. Returns `undefined` if none has been created yet. */
  async check(): Promise<ComputeHealth | undefined> {
    if (this.#failures >= FAILURES_IN_A_ROW) return { healthy: false, reason: this.#reason };
    const server = await this.#server?.catch(() => undefined);
    return await server?.check();
  }

  /**
   * Gives running requests the given number of milliseconds to finish. A later request starts a new
   * server.
   */
  async retire(milliseconds: number): Promise<void> {
    const retiring = this.#server;
    this.#server = this.#made = undefined;
    this.#failures = 0;
    const server = await retiring?.catch(() => undefined);
    if (server === undefined) return;
    this.#retiring.add(server);
    await server.drain(milliseconds);
    this.#retiring.delete(server);
  }

  /** Retires an outdated server, once it is created. Resolves when it has stopped. */
  async retireOutdated(
    isOutdated: (server: ComputeServer) => boolean,
    milliseconds: number,
  ): Promise<void> {
    const current = this.#server;
    const server = this.#made ?? await current?.catch(() => undefined);
    if (server === undefined || this.#server !== current || !isOutdated(server)) return;
    await this.retire(milliseconds);
  }

  /**
   * Gives running requests the given number of milliseconds to finish, then stops all processes
   * permanently.
   */
  async close(milliseconds: number): Promise<void> {
    this.#closed = true;
    const retiring = [...this.#retiring];
    const current = this.#server;
    this.#server = this.#made = undefined;
    const server = await current?.catch(() => undefined);
    const all = server === undefined ? retiring : [...retiring, server];
    await Promise.all(all.map((each) => each.drain(milliseconds)));
  }

  #get(): Promise<ComputeServer> {
    if (this.#closed) return Promise.reject(new Error("The deployment has been shut down"));
    if (this.#server !== undefined) return this.#server;
    const made = this.#create();
    this.#server = made;
    made.then(
      (server) => {
        if (this.#server === made) this.#made = server;
      },
      () => {
        if (this.#server === made) this.#server = undefined;
      },
    );
    return made;
  }

  async #ask<Result extends ComputeResult | ComputeSocketResult>(
    ask: (server: ComputeServer) => Promise<Result>,
  ): Promise<Result | Extract<ComputeResult, { readonly type: "failed" }>> {
    let server: ComputeServer;
    try {
      server = this.#made ?? await this.#get();
    } catch (error) {
      return { type: "failed", reason: "cannot_start", message: messageOf(error) };
    }
    return this.#note(await ask(server));
  }

  #note<Result extends ComputeResult | ComputeSocketResult>(
    result: Result,
  ): Result {
    if (result.type !== "failed") this.#failures = 0;
    else if (OF_SERVER.has(result.reason)) {
      this.#failures += 1;
      this.#reason = result.message;
    }
    return result;
  }
}
