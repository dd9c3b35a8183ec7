/** @module The port on which browsers reach the dev server. */
import { setTimeout as delay } from "node:timers/promises";
import { announcesContent, withoutBody } from "../lib/announced_content.ts";
import { keepUncompressed } from "../lib/automatic_compression.ts";
import { methodCaseProblem } from "../lib/method_case.ts";

/** Time for requests in progress to finish when the server stops, in milliseconds. */
const DRAIN_MS = 500;

export type FrontHandler = (
  request: Request,
  remoteAddress: string,
) => Response | Promise<Response>;

export interface Front {
  readonly port: number;
  /** Starts serving requests. */
  answer(handler: FrontHandler): void;
  /** Stops listening, and aborts unfinished requests after a moment. */
  close(): Promise<void>;
}

const STOPPING = (): Response =>
  new Response("The dev server is stopping\n", { status: 503, headers: { connection: "close" } });

const STARTING: FrontHandler = () =>
  new Response("The dev server is starting\n", { status: 503, headers: { "retry-after": "1" } });

/**
 * Listens on a port of this computer.
 *
 * @throws {Deno.errors.AddrInUse} if the port is taken
 */
export function openFront(
  { hostname, port, onError }: {
    readonly hostname: string;
    readonly port: number;
    readonly onError: (error: unknown) => void;
  },
): Front {
  let handler = STARTING;
  const cut = new AbortController();
  const underWay = new Set<Promise<void>>();
  const server = Deno.serve(
    {
      hostname,
      port,
      signal: cut.signal,
      onListen() {},
      onError(error) {
        onError(error);
        return new Response("The dev server failed. See its terminal\n", { status: 500 });
      },
    },
    keepUncompressed((request, { remoteAddr, completed }: Deno.ServeHandlerInfo<Deno.NetAddr>) => {
      const sent = completed.catch(() => {}).then(() => void underWay.delete(sent));
      underWay.add(sent);
      const problem = methodCaseProblem(request.method);
      if (problem !== undefined) return new Response(`${problem}\n`, { status: 400 });
      const isEmpty = request.headers.has("host") && !announcesContent(request.headers);
      return handler(isEmpty ? withoutBody(request) : request, remoteAddr.hostname);
    }),
  );
  return {
    port: server.addr.port,
    answer: (next) => handler = next,
    async close() {
      handler = STOPPING;
      const late = new AbortController();
      const isLate = delay(DRAIN_MS, true, { signal: late.signal }).catch(() => true);
      const isDrained = Promise.all(underWay).then(() => false);
      if (await Promise.race([isDrained, isLate])) {
        // Never abort after `shutdown()`: the runtime throws if a signal aborts while it runs.
        cut.abort();
        await server.finished;
      } else {
        // The runtime reports a response as complete a moment before it has sent it.
        await Promise.race([server.shutdown(), isLate]);
      }
      late.abort();
    },
  };
}
