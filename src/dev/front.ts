/**
 * The port on which browsers reach the dev server.
 *
 * @module
 */
import { keepUncompressed } from "../lib/automatic_compression.ts";

/** Time that requests under way get when the server ends, in milliseconds. */
const DRAIN_MS = 500;

export type FrontHandler = (
  request: Request,
  remoteAddress: string,
) => Response | Promise<Response>;

export interface Front {
  readonly port: number;
  /** Answers requests from now on. */
  answer(handler: FrontHandler): void;
  /** Stops listening; what is still under way is cut off after a moment. */
  close(): Promise<void>;
}

const STARTING: FrontHandler = () =>
  new Response("The dev server is starting\n", { status: 503, headers: { "retry-after": "1" } });

/**
 * Listens on a port of this computer.
 *
 * @throws {Deno.errors.AddrInUse} where it is taken
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
  const server = Deno.serve(
    {
      ...{ hostname, port },
      signal: cut.signal,
      onListen() {},
      onError(error) {
        onError(error);
        return new Response("The dev server failed; its terminal says why\n", { status: 500 });
      },
    },
    keepUncompressed((request, { remoteAddr }: Deno.ServeHandlerInfo<Deno.NetAddr>) =>
      handler(request, remoteAddr.hostname)
    ),
  );
  return {
    port: server.addr.port,
    answer: (next) => handler = next,
    async close() {
      const timer = setTimeout(() => cut.abort(), DRAIN_MS);
      await server.shutdown();
      await server.finished;
      clearTimeout(timer);
    },
  };
}
