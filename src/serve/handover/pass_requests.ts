/** Passes requests on a leaving platform's open connections to its successor. @module */
import { setTimeout as delay } from "node:timers/promises";
import { type Connection, contentOf } from "../../edge/mod.ts";
import { dropHopByHop } from "../../lib/hop_by_hop.ts";
import { messageOf } from "../../lib/error_message.ts";
import type { ClientConnection } from "../../platform/core/listener/mod.ts";
import {
  announceBody,
  type ConnectionTimes,
  Deadlines,
  type HeaderList,
  Http1Connection,
  SIGNAL_DELAY_MS,
  type WireAnswer,
} from "../../runtime/mod.ts";
import { ADDRESS_FIELD, READING, SCHEME_FIELD, URL_FIELD } from "./request_wire.ts";

/** How often to check for requests that take too long, in milliseconds. */
const DEADLINE_MS = 1000;

/** Header fields that describe the body's transfer, or that clients must not set. */
const REWRITTEN: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "expect",
  URL_FIELD,
  ADDRESS_FIELD,
  SCHEME_FIELD,
]);

/**
 * Number of attempts to connect, and the pause between them in milliseconds. Several attempts can
 * be needed, because a socket's queue of waiting connections may be full.
 */
const [ATTEMPTS, AGAIN_MS] = [500, 10];

async function connect(path: string): Promise<Deno.UnixConn> {
  for (let attempt = 1;; attempt++) {
    try {
      return await Deno.connect({ transport: "unix", path });
    } catch (error) {
      if (!(error instanceof Deno.errors.WouldBlock) || attempt === ATTEMPTS) throw error;
      await delay(AGAIN_MS);
    }
  }
}

type Passed = ClientConnection & Pick<Connection, "content">;

function splitUrl(url: string): { readonly authority: string; readonly target: string } {
  const start = url.indexOf("://") + 3;
  const slash = url.indexOf("/", start);
  return slash === -1
    ? { authority: url.slice(start), target: "/" }
    : { authority: url.slice(start, slash), target: url.slice(slash) };
}

function fieldsOf(request: Request, { remoteAddress, scheme }: Passed): [string, string][] {
  const kept = dropHopByHop([...request.headers])
    .filter(([name]) => !REWRITTEN.has(name.toLowerCase()));
  return [
    ["host", splitUrl(request.url).authority],
    ...kept.map(([name, value]): [string, string] => [name, value]),
    [URL_FIELD, request.url],
    [ADDRESS_FIELD, remoteAddress],
    [SCHEME_FIELD, scheme],
  ];
}

/** Creates the response for the client, which should open its next connection to the successor. */
function answerOf({ head, body }: WireAnswer): Response {
  const headers = new Headers(dropHopByHop(head.headers) as [string, string][]);
  headers.set("connection", "close");
  return new Response(body, { status: head.status, headers });
}

function unavailable(reason: string): Response {
  const headers = { "retry-after": "1", connection: "close" };
  return new Response(`${reason}\n`, { status: 503, headers });
}

/** Serves the requests of each scheme. */
export type Answering = Readonly<
  Record<"http" | "https", (request: Request, connection: Passed) => Response | Promise<Response>>
>;

export class RequestPasser {
  /**
   * Where requests go: to the successor's socket, or to this platform itself if it serves again.
   */
  #successor = Promise.withResolvers<string | Answering>();
  readonly #times: ConnectionTimes = {
    deadlines: new Deadlines(DEADLINE_MS),
    exchanges: new Deadlines(SIGNAL_DELAY_MS),
    idleMs: Infinity,
    keepAliveMs: 0,
  };

  readonly #onTrouble: (message: string) => void;

  constructor(onTrouble: (message: string) => void) {
    this.#onTrouble = onTrouble;
    this.#successor.promise.catch(() => {});
  }

  /** Must be called when the successor serves this socket. */
  passTo(socket: string): void {
    this.#successor.resolve(socket);
  }

  /**
   * Must be called if there is no successor. This platform then handles waiting and new requests.
   */
  answerBy(answering: Answering): void {
    this.#successor.resolve(answering);
    this.#successor = Promise.withResolvers();
    this.#successor.resolve(answering);
  }

  /** Must be called if neither platform can serve. Waiting requests then fail. */
  fail(error: Error): void {
    this.#successor.reject(error);
  }

  close(): void {
    this.#times.deadlines.stop();
    this.#times.exchanges.stop();
  }

  /** Lets the successor respond to a request. Never rejects. */
  readonly pass = async (request: Request, connection: Passed): Promise<Response> => {
    // A connection that other code reads from cannot be passed on, but the client's next connection
    // can.
    if (request.headers.get("upgrade") !== null) return unavailable("The platform is restarting");
    try {
      const successor = await this.#successor.promise;
      return typeof successor === "string"
        ? answerOf(await this.#exchange(successor, request, connection))
        : await successor[connection.scheme](request, connection);
    } catch (error) {
      this.#onTrouble(`Cannot pass a request to the new platform: ${messageOf(error)}`);
      return unavailable("The platform is restarting");
    }
  };

  async #exchange(path: string, request: Request, connection: Passed): Promise<WireAnswer> {
    const { method, url } = request;
    const body = READING.has(method) ? connection.content ?? contentOf(request) : request.body;
    const fields: HeaderList = [...request.headers];
    const announced = announceBody({ method, headers: fields, body });
    const http = new Http1Connection(await connect(path), this.#times);
    return await http.exchange({
      method,
      target: splitUrl(url).target,
      headers: [...fieldsOf(request, connection), ...announced.headers],
      body,
      length: announced.length,
    }, { done: () => http.close(), signal: () => request.signal });
  }
}
