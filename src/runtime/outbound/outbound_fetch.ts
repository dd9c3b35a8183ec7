/** @module Guarded outbound requests, for functions and external rewrites. */
import { lookup } from "node:dns/promises";
import { dropHopByHop } from "../../lib/hop_by_hop.ts";
import { announceBody, isRepeatable } from "../http1/request_body.ts";
import { ConnectionPool } from "../http1/connection_pool.ts";
import {
  type ConnectionTimes,
  Http1Connection,
  type WireAnswer,
  type WireRequest,
} from "../http1/connection.ts";
import { Deadlines, type Timers } from "../http1/deadlines.ts";
import type { HeaderList, ResponseHead } from "../http1/head.ts";
import { type LazySignal, resolveSignal, SIGNAL_DELAY_MS } from "../http1/exchange_watch.ts";
import { OutboundError } from "../http1/errors.ts";
import { WholeAnswer } from "../http1/whole_answer.ts";
import type { WholeBody } from "../http1/byte_reader.ts";
import { AbandonedConnects } from "./abandoned_connects.ts";
import {
  type ConnectRules,
  type Dial,
  judgeTarget,
  openConnection,
  type OwnRoute,
  type ResolveDns,
  type Target,
} from "./connect.ts";
import { nextRequest } from "./redirect.ts";
import type { OutboundFetch, OutboundRequest, OutboundResponse } from "./types.ts";

export interface OutboundOptions {
  /** True to allow private, local and reserved addresses, and any port. Default: false. */
  readonly allowPrivate?: boolean;
  /** Finds the platform's own hosts. None by default. */
  readonly ownRoute?: OwnRoute;
  /** Default: the system's resolver, including its hosts file. */
  readonly resolveDns?: ResolveDns;
  /** Default: `Deno.connect`. */
  readonly dial?: Dial;
  /** Maximum total time for lookup, connection and TLS, in milliseconds. Default: 10 s. */
  readonly connectMs?: number;
  /** Maximum time without any data, in milliseconds. Default: 60 s. */
  readonly idleMs?: number;
  /** Maximum number of redirects to follow. Default: 10. */
  readonly maxRedirects?: number;
  /** Maximum number of idle connections per origin. Default: 64. */
  readonly maxIdlePerOrigin?: number;
  /** Maximum idle time of a connection, in milliseconds. Default: 4 s, because servers wait 5 s. */
  readonly keepAliveMs?: number;
  /** Clock and timer for these times. Default: the system's. */
  readonly timers?: Timers;
  /** Certificates (PEM) to trust in addition to the system's. */
  readonly caCerts?: readonly string[];
}

/** Maximum number of idle connections to all origins. */
const MAX_IDLE = 512;

export interface Outbound {
  readonly fetch: OutboundFetch;
  /** Closes all idle connections. */
  close(): void;
}

async function systemLookup(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function requestHeaders(request: OutboundRequest, target: Target, ofBody: HeaderList): HeaderList {
  const headers: [string, string][] = [["host", target.url.host]];
  for (const [name, value] of dropHopByHop(request.headers)) {
    const lower = name.toLowerCase();
    if (lower !== "host" && lower !== "content-length" && lower !== "expect") {
      headers.push([name, value]);
    }
  }
  return [...headers, ...ofBody];
}

/** A response like `WholeAnswer`, with the URL that the response came from. */
class WholeResponse extends WholeAnswer implements OutboundResponse {
  constructor(
    { head, body }: { readonly head: ResponseHead; readonly body: WholeBody },
    readonly url: string,
    readonly redirected: boolean,
  ) {
    super(head, body);
  }
}

class OutboundClient {
  readonly #rules: ConnectRules;
  readonly #pool: ConnectionPool;
  readonly #times: ConnectionTimes;
  readonly #maxRedirects: number;

  constructor(options: OutboundOptions) {
    this.#rules = {
      allowPrivate: options.allowPrivate ?? false,
      ownRoute: options.ownRoute,
      resolveDns: options.resolveDns ?? systemLookup,
      dial: options.dial ?? ((to) => Deno.connect(to)),
      connectMs: options.connectMs ?? 10_000,
      abandoned: new AbandonedConnects(),
      caCerts: options.caCerts,
    };
    const { idleMs = 60_000, keepAliveMs = 4000 } = options;
    this.#times = {
      deadlines: new Deadlines(Math.min(idleMs, keepAliveMs), options.timers),
      exchanges: new Deadlines(SIGNAL_DELAY_MS, options.timers),
      idleMs,
      keepAliveMs,
    };
    this.#maxRedirects = options.maxRedirects ?? 10;
    this.#pool = new ConnectionPool({
      maxIdle: MAX_IDLE,
      maxIdlePerOrigin: options.maxIdlePerOrigin ?? 64,
    });
  }

  close(): void {
    this.#pool.closeAll();
    this.#times.deadlines.stop();
    this.#times.exchanges.stop();
  }

  async fetch(request: OutboundRequest): Promise<OutboundResponse> {
    let current = request;
    for (let hops = 0;; hops++) {
      const response = await this.#once(current, hops > 0);
      const next = nextRequest(current, response);
      if (next === undefined) return response;
      response.body?.cancel().catch(() => {});
      if (hops >= this.#maxRedirects) {
        throw new OutboundError("too_many_redirects", `More than ${hops} redirects`);
      }
      current = next;
    }
  }

  async #once(request: OutboundRequest, redirected: boolean): Promise<OutboundResponse> {
    const target = judgeTarget(request.url, this.#rules);
    const { length, headers: ofBody } = announceBody(request);
    const wire: WireRequest = {
      method: request.method,
      target: `${target.url.pathname}${target.url.search}`,
      headers: requestHeaders(request, target, ofBody),
      body: request.body,
      length,
    };
    const { head, body } = await this.#send(wire, target, request.signal);
    const { href: url } = target.url;
    if (body !== null && !(body instanceof ReadableStream)) {
      return new WholeResponse({ head, body }, url, redirected);
    }
    const { status, statusText } = head;
    return { status, statusText, headers: dropHopByHop(head.headers), body, url, redirected };
  }

  async #send(wire: WireRequest, target: Target, signal?: LazySignal): Promise<WireAnswer> {
    if (typeof signal === "object" && signal.aborted) {
      throw new OutboundError("aborted", "The request was aborted");
    }
    const origin = target.url.origin;
    const kept = this.#pool.take(origin);
    if (kept !== undefined) {
      try {
        return await this.#exchange(kept, wire, { origin, signal });
      } catch (error) {
        const stale = error instanceof OutboundError && error.code === "reset";
        if (!stale || !isRepeatable(wire)) throw error;
      }
    }
    const conn = await openConnection(target, this.#rules, resolveSignal(signal));
    return await this.#exchange(new Http1Connection(conn, this.#times), wire, { origin, signal });
  }

  #exchange(
    connection: Http1Connection,
    wire: WireRequest,
    { origin, signal }: { readonly origin: string; readonly signal: LazySignal | undefined },
  ): Promise<WireAnswer> {
    return connection.exchange(wire, {
      done: (reusable) => {
        if (reusable) this.#pool.give(origin, connection);
      },
      signal,
    });
  }
}

/**
 * Creates the client for outbound requests. The client checks the scheme, credentials, port, name,
 * literal address and every resolved address, including those of redirects. Connections go only to
 * checked addresses. Bodies are streamed in both directions. Ports below 1024 other than 80 and 443
 * are blocked.
 */
export function createOutboundFetch(options: OutboundOptions = {}): Outbound {
  const client = new OutboundClient(options);
  return { fetch: (request) => client.fetch(request), close: () => client.close() };
}
