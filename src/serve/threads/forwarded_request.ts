/**
 * A request that an edge thread handed over, in the form in which the runtime's own
 * server passes requests: with the URL and method as the client wrote them.
 *
 * @module
 */
import type { RequestHead } from "./wire.ts";

/** Stands in for URLs and methods that `Request` would change or refuse. */
const [PLACE, READS, WRITES] = ["http://forwarded/", "GET", "POST"];

export class ForwardedRequest extends Request {
  readonly #head: Pick<RequestHead, "url" | "method">;
  readonly #left = new AbortController();

  /** `body` is `null` for requests without one, and for `GET` and `HEAD`. */
  constructor(head: RequestHead, body: ReadableStream<Uint8Array<ArrayBuffer>> | null) {
    super(PLACE, {
      method: body === null ? READS : WRITES,
      headers: head.headers as [string, string][],
      body,
    });
    this.#head = head;
  }

  override get url(): string {
    return this.#head.url;
  }

  override get method(): string {
    return this.#head.method;
  }

  override get signal(): AbortSignal {
    return this.#left.signal;
  }

  /** The client has left. */
  leave(): void {
    this.#left.abort();
  }
}
