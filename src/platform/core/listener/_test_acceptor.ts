/** A connection acceptor for tests, over any listener. @module */
import { ConnectionAcceptor, type ConnectionAcceptorOptions } from "./connection_acceptor.ts";
import { DEFAULTS } from "../../../settings/mod.ts";
import { completeLimits } from "./connection_limits.ts";
import type { ConnectionHandler, ConnectionLimits } from "./types.ts";

/** How long running requests have to finish when a server stops, in milliseconds. */
const DRAIN_MS = 5000;

interface TestAcceptor {
  readonly acceptor: ConnectionAcceptor;
  /** Serves the connections of a listener. */
  serve(listener: Deno.TcpListener | Deno.TlsListener, closed: AbortSignal): Promise<void>;
}

/** Runs a test with an acceptor whose handler responds "hello" by default. */
export function testAcceptor(
  given: Partial<ConnectionAcceptorOptions> & {
    readonly handler?: ConnectionHandler;
    readonly bounds?: Partial<ConnectionLimits>;
  } = {},
): TestAcceptor {
  const { handler = () => new Response("hello"), bounds = {}, ...options } = given;
  const acceptor = new ConnectionAcceptor({
    limits: completeLimits({ ...DEFAULTS.connections, ...bounds }, 1024),
    onError: () => new Response("fault", { status: 500 }),
    groupOf: (address) => address,
    isShort: () => false,
    onShortage: () => {},
    now: () => performance.now(),
    ...options,
  });
  return {
    acceptor,
    serve: (listener, closed) => acceptor.serve({ listener, closed, handler }),
  };
}

export type GivenAcceptor = NonNullable<Parameters<typeof testAcceptor>[0]>;

export interface TestServer {
  readonly acceptor: ConnectionAcceptor;
  readonly port: number;
  /** Stops in the same way as a platform. */
  close(): Promise<void>;
}

/** Serves a listener with its own acceptor. */
export function serverOf(
  listener: Deno.TcpListener | Deno.TlsListener,
  given: GivenAcceptor = {},
): TestServer {
  const { acceptor, serve } = testAcceptor(given);
  const closed = new AbortController();
  const served = serve(listener, closed.signal);
  return {
    acceptor,
    port: listener.addr.port,
    close: async () => {
      await acceptor.leave();
      closed.abort();
      try {
        listener.close();
      } catch { /* the runtime has closed it */ }
      await served;
      await acceptor.drain(DRAIN_MS);
    },
  };
}

/** Opens a client that writes the given text, and reads until the server closes the connection. */
export async function openClient(port: number, text = "") {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port });
  await conn.write(new TextEncoder().encode(text));
  const untilEnd = async (): Promise<string> => {
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(4096);
    let all = "";
    try {
      for (let count; (count = await conn.read(buffer)) !== null;) {
        all += decoder.decode(buffer.subarray(0, count));
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
    }
    return all;
  };
  return { conn, untilEnd, [Symbol.dispose]: () => conn.close() };
}

export const GET = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
