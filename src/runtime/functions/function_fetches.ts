/** @module The `fetch` calls of one worker, whose requests the platform sends. */
import { dropHopByHop } from "../../lib/hop_by_hop.ts";
import type { HeaderList } from "../http1/head.ts";
import type { OutboundFetch } from "../outbound/types.ts";
import { toPayload } from "../process/frames/payload.ts";
import { BodyReceiver, BodySender, EAGER_BYTES } from "./body_link.ts";
import { MAX_FETCHES, TOO_MANY_FETCHES } from "./limits.ts";
import { type FetchedHead, type FetchHead, FunctionFrame } from "./wire.ts";
import type { FunctionServices, WorkerContext } from "./worker_context.ts";

interface Running {
  readonly call: number;
  readonly abort: AbortController;
}

/** Rejects a request to the database of a deployment that has none. */
const NO_DATABASE: OutboundFetch = () =>
  Promise.reject(new TypeError("This deployment has no database"));

/** Statuses that never have a body (Fetch standard, null body status). */
const NULL_BODY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** Rejects a request to the key-value store of a deployment that has none. */
const NO_KV: OutboundFetch = () =>
  Promise.reject(new TypeError("This deployment has no key-value store"));

/**
 * Returns the handler for a function's requests, which sends them to a store, to the database or to
 * the network.
 */
function serviceOf(
  { outbound, kv = NO_KV, database = NO_DATABASE }: FunctionServices,
  to: FetchHead["to"],
): OutboundFetch {
  return to === "kv" ? kv : to === "database" ? database : outbound;
}

/** Sets the `Via` field and removes the function's own, because only the platform can set it. */
function withVia(headers: HeaderList, via: string | undefined): HeaderList {
  const kept = dropHopByHop(headers).filter(([name]) => name.toLowerCase() !== "via");
  return via === undefined ? kept : [...kept, ["via", via]];
}

export class FunctionFetches {
  readonly #running = new Map<number, Running>();

  readonly #worker: WorkerContext;

  constructor(worker: WorkerContext) {
    this.#worker = worker;
  }

  /** Returns true if a request with a given ID is in progress. */
  has(id: number): boolean {
    return this.#running.has(id) || this.#worker.receivers.has(id) || this.#worker.senders.has(id);
  }

  /**
   * Sends a call's request. Passes the response, or the reason why there is none, to the worker.
   */
  async perform(
    id: number,
    head: FetchHead,
    { via }: { readonly via: string | undefined },
  ): Promise<void> {
    if (this.#running.size >= MAX_FETCHES) {
      return this.#refuse(id, TOO_MANY_FETCHES);
    }
    const abort = new AbortController();
    this.#running.set(id, { call: head.call, abort });
    try {
      const response = await serviceOf(this.#worker.options.host, head.to)({
        method: head.method,
        url: head.url,
        headers: withVia(head.headers, via),
        body: head.body ? this.#requestBody(id) : null,
        redirect: head.redirect,
        signal: abort.signal,
      });
      if (!this.#running.has(id)) {
        response.body?.cancel().catch(() => {});
        return;
      }
      const { status, statusText, headers, url, redirected } = response;
      const sent = NULL_BODY.has(status) ? null : response.body;
      const payload: FetchedHead = {
        status,
        statusText,
        headers,
        url,
        redirected,
        body: sent !== null,
      };
      this.#worker.options.send(FunctionFrame.fetched, id, toPayload(payload));
      if (sent === null) this.#running.delete(id);
      else this.#sendBody(id, sent);
    } catch (error) {
      if (!this.#running.has(id)) return;
      this.#refuse(id, error instanceof Error ? error.message : "The request failed");
    }
  }

  #refuse(id: number, message: string): void {
    this.#running.delete(id);
    const payload = new TextEncoder().encode(message.slice(0, 1000));
    this.#worker.options.send(FunctionFrame.fetchFailed, id, payload);
  }

  #requestBody(id: number): ReadableStream<Uint8Array> {
    const { receivers, options } = this.#worker;
    const receiver = new BodyReceiver({
      send: (type, payload) => options.send(type, id, payload),
      credit: EAGER_BYTES,
      finished: () => receivers.delete(id),
    });
    receivers.set(id, receiver);
    return receiver.stream;
  }

  #sendBody(id: number, body: ReadableStream<Uint8Array>): void {
    const { senders, options } = this.#worker;
    const sender = new BodySender(body, {
      send: (type, payload) => options.send(type, id, payload),
      credit: EAGER_BYTES,
      finished: () => {
        senders.delete(id);
        this.#running.delete(id);
      },
    });
    senders.set(id, sender);
  }

  /** Ends a request because the function no longer needs its response. */
  abort(id: number): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#running.delete(id);
    running.abort.abort(new Error("The function aborted the request"));
    this.#worker.senders.get(id)?.stop("The function aborted the request");
    this.#worker.receivers.get(id)?.fail(new Error("The function aborted the request"));
  }

  /** Ends a call's requests. */
  abortOf(call: number): void {
    for (const [id, running] of [...this.#running]) if (running.call === call) this.abort(id);
  }

  abortAll(): void {
    for (const id of [...this.#running.keys()]) this.abort(id);
  }
}
