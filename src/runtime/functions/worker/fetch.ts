/** @module A function's `fetch`: the platform sends the request, under its rules. */
import type { Frame } from "../../process/frames/frame.ts";
import { fromPayload, toPayload } from "../../process/frames/payload.ts";
import { BodyReceiver, BodySender, EAGER_BYTES } from "../body_link.ts";
import { MAX_FETCHES, TOO_MANY_FETCHES } from "../limits.ts";
import { type FetchedHead, type FetchHead, FunctionFrame, MAX_HEAD_CHARACTERS } from "../wire.ts";
import { type Call, currentCall } from "./call.ts";
import type { WorkerLink } from "./link.ts";

interface Waiting {
  resolve(response: Response): void;
  reject(error: unknown): void;
  readonly abort: () => void;
  readonly signals: readonly AbortSignal[];
}

const NativeRequest = Request;
const NativeResponse = Response;
const decoder = new TextDecoder();

/** The worker's current requests. The IDs of requests are odd, and the IDs of calls are even. */
export class WorkerFetch {
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  readonly #link: WorkerLink;
  readonly #defaultCall: () => Call | undefined;

  constructor(link: WorkerLink, defaultCall: () => Call | undefined) {
    this.#link = link;
    this.#defaultCall = defaultCall;
  }

  /** The function that replaces the global `fetch`. */
  readonly fetch = (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    try {
      return this.#send(new NativeRequest(input, init));
    } catch (error) {
      return Promise.reject(error);
    }
  };

  /** Sends a request to the project's key-value store instead of a host. */
  readonly fetchKv = async (input: URL, init: RequestInit): Promise<Response> =>
    await this.#send(new NativeRequest(input, init), "kv");

  /** Sends a statement to the project's database instead of to a host. */
  readonly fetchDatabase = async (input: URL, init: RequestInit): Promise<Response> =>
    await this.#send(new NativeRequest(input, init), "database");

  #send(request: Request, to?: "kv" | "database"): Promise<Response> {
    const call = currentCall.getStore() ?? this.#defaultCall();
    if (call === undefined || call.settled) {
      throw new TypeError("A function can fetch and use its stores only while a call is running");
    }
    if (this.#waiting.size >= MAX_FETCHES) throw new TypeError(TOO_MANY_FETCHES);
    request.signal.throwIfAborted();
    call.abort.signal.throwIfAborted();
    const head: FetchHead = {
      call: call.id,
      method: request.method,
      url: request.url,
      headers: [...request.headers],
      redirect: request.redirect,
      body: request.body !== null,
      to,
    };
    const payload = toPayload(head);
    if (payload.byteLength > MAX_HEAD_CHARACTERS) {
      throw new TypeError("The request's headers are too large");
    }
    const id = this.#next;
    this.#next = (this.#next + 2) % 0xffff_ffff;
    return new Promise((resolve, reject) => {
      const signals = [request.signal, call.abort.signal];
      const abort = (): void => {
        this.#link.send(FunctionFrame.abortFetch, id);
        const reason = signals.find((signal) => signal.aborted)?.reason;
        this.#link.receivers.get(id)?.fail(reason);
        this.#forget(id)?.reject(reason);
      };
      this.#waiting.set(id, { resolve, reject, abort, signals });
      for (const signal of signals) signal.addEventListener("abort", abort, { once: true });
      this.#link.send(FunctionFrame.fetch, id, payload);
      if (request.body !== null) this.#sendBody(id, request.body);
    });
  }

  #sendBody(id: number, body: ReadableStream<Uint8Array>): void {
    const sender = new BodySender(body, {
      send: (type, part) => this.#link.send(type, id, part),
      credit: EAGER_BYTES,
      finished: () => this.#link.senders.delete(id),
    });
    this.#link.senders.set(id, sender);
  }

  #forget(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  /** Handles a frame of a fetch. Returns false if the frame belongs to something else. */
  take({ type, id, payload }: Frame): boolean {
    if (type === FunctionFrame.fetched) this.#answer(id, fromPayload(payload));
    else if (type === FunctionFrame.fetchFailed) {
      const waiting = this.#forget(id);
      waiting?.reject(new TypeError(decoder.decode(payload)));
      this.#quiet(waiting);
    } else return false;
    return true;
  }

  #quiet(waiting: Waiting | undefined): void {
    for (const signal of waiting?.signals ?? []) {
      signal.removeEventListener("abort", waiting!.abort);
    }
  }

  #answer(id: number, head: FetchedHead): void {
    const waiting = this.#forget(id);
    if (waiting === undefined) return;
    let body: ReadableStream<Uint8Array<ArrayBuffer>> | null = null;
    if (head.body) {
      const receiver = new BodyReceiver({
        send: (type, part) => this.#link.send(type, id, part),
        credit: EAGER_BYTES,
        finished: () => {
          this.#link.receivers.delete(id);
          this.#quiet(waiting);
        },
      });
      this.#link.receivers.set(id, receiver);
      body = receiver.stream;
    } else this.#quiet(waiting);
    const response = new NativeResponse(body, {
      status: head.status,
      statusText: head.statusText ?? "",
      headers: head.headers.map(([name, value]): [string, string] => [name, value]),
    });
    Object.defineProperty(response, "url", { value: head.url });
    Object.defineProperty(response, "redirected", { value: head.redirected });
    waiting.resolve(response);
  }
}
