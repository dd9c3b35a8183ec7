/** Responds to requests before the platform has started. @module */
import type { OrderedCertificates } from "../platform/certificates/mod.ts";
import type { createHostDispatch } from "../platform/core/http/mod.ts";
import type { ConnectionHandler } from "../platform/core/listener/mod.ts";

/**
 * Maximum time that requests wait after a start, in milliseconds. Load balancers send some requests
 * too early.
 */
const PATIENCE_MS = 5000;

const HEALTH = /^[^/]*\/\/[^/]*\/healthz$/;
const READINESS = /^[^/]*\/\/[^/]*\/readyz$/;

type Dispatch = ReturnType<typeof createHostDispatch>;
type Certificates = OrderedCertificates | undefined;

const starting = () =>
  new Response("The platform is starting\n", { status: 503, headers: { "retry-after": "1" } });

/**
 * Makes requests wait while the platform starts or takes over. While it starts, health probes get a
 * response immediately.
 */
export class EarlyAnswers {
  /** Resolves once the platform has started, or resolves to `undefined` if it will not start. */
  readonly #opened = Promise.withResolvers<readonly [Dispatch, Certificates] | undefined>();
  readonly #impatient = Promise.withResolvers<undefined>();
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  readonly #takesOver: boolean;

  constructor(takesOver: boolean, patienceMs = PATIENCE_MS) {
    this.#takesOver = takesOver;
    if (!takesOver) this.#timer = setTimeout(() => this.#impatient.resolve(undefined), patienceMs);
  }

  get dispatch(): Dispatch {
    return {
      http: this.#handler("http"),
      https: this.#handler("https"),
      own: this.#handler("own"),
    };
  }

  /**
   * Handshakes wait, because the runtime would remember a rejected handshake even after the
   * platform is ready.
   */
  get certificates(): OrderedCertificates {
    return {
      find: async (name) => {
        const opened = await this.#opened.promise;
        if (opened === undefined) throw new Error("The platform is stopping");
        return await opened[1]?.find(name);
      },
    };
  }

  /** Must be called when the platform has started. */
  open(dispatch: Dispatch, certificates: Certificates): void {
    clearTimeout(this.#timer);
    this.#opened.resolve([dispatch, certificates]);
  }

  /** Must be called if the platform will not start. */
  close(): void {
    clearTimeout(this.#timer);
    this.#opened.resolve(undefined);
  }

  #handler(which: keyof Dispatch): ConnectionHandler {
    return async (request, connection) => {
      const { url } = request;
      if (!this.#takesOver && HEALTH.test(url)) return new Response("ok\n");
      if (!this.#takesOver && READINESS.test(url)) return starting();
      const opened = await Promise.race([this.#opened.promise, this.#impatient.promise]);
      return opened === undefined ? starting() : await opened[0][which](request, connection);
    };
  }
}
