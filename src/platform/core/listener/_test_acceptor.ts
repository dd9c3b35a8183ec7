/**
 * A connection acceptor for tests, over any listener.
 *
 * @module
 */
import { ConnectionAcceptor, type ConnectionAcceptorOptions } from "./connection_acceptor.ts";
import { completeLimits } from "./connection_limits.ts";
import type { ConnectionHandler, ConnectionLimits } from "./types.ts";

export interface TestAcceptor {
  readonly acceptor: ConnectionAcceptor;
  /** Serves the connections of a listener. */
  serve(listener: Deno.TcpListener | Deno.TlsListener, closed: AbortSignal): Promise<void>;
}

/** An acceptor whose handler answers "hello", unless another one is given. */
export function testAcceptor(
  given: Partial<ConnectionAcceptorOptions> & {
    readonly handler?: ConnectionHandler;
    readonly bounds?: Partial<ConnectionLimits>;
  } = {},
): TestAcceptor {
  const { handler = () => new Response("hello"), bounds = {}, ...options } = given;
  const acceptor = new ConnectionAcceptor({
    limits: completeLimits(bounds, 1024),
    onError: () => new Response("fault", { status: 500 }),
    groupOf: (address) => address,
    isShort: () => false,
    onShortage: () => {},
    now: () => performance.now(),
    leavesToRuntime: false,
    ...options,
  });
  return {
    acceptor,
    serve: (listener, closed) => acceptor.serve({ listener, closed, handler, scheme: "http" }),
  };
}
