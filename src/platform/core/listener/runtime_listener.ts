/**
 * Leaves all connections of a listener to the runtime, for runtimes that end a
 * WebSocket together with the server of its connection, as Deno 2.9 does
 * (docs/decisions/own-listener.md). The limits of connections do not apply
 * here, only the options of accepted sockets. A listener that is closed may accept some more
 * connections until the runtime has noticed.
 *
 * @module
 */
import { methodCaseProblem } from "../../../lib/method_case.ts";
import { fieldOf } from "../../../lib/raw_fields.ts";
import type { CutSignal } from "./cut_signal.ts";
import { framingProblem, hostProblem, placeholderHost } from "./request_problems.ts";
import { findInternal, type Handle, type ServedConnection } from "./serve_connection.ts";
import type { ConnectionHandler } from "./types.ts";

const FIRST_WITH = [2, 9] as const;

/** Whether this version of Deno ends WebSockets together with the server of their connection. */
export function endsWebSocketsWithServer(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > FIRST_WITH[0] || (major === FIRST_WITH[0] && minor >= FIRST_WITH[1]);
}

type ServeListener = (
  listener: Deno.Listener,
  signal: CutSignal,
  handler: Handle,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => ServedConnection;

export interface RuntimeListenerOptions {
  readonly listener: Deno.TcpListener | Deno.TlsListener;
  readonly scheme: "http" | "https";
  readonly handler: ConnectionHandler;
  readonly onError: (error: unknown) => Response;
  /** Closes all connections at once. */
  readonly cut: CutSignal;
}

/** Serves until it is shut down; `finished` rejects if the system is short of descriptors. */
export function serveByRuntime(options: RuntimeListenerOptions): ServedConnection {
  const { listener, scheme, handler, onError, cut } = options;
  const serve = findInternal<ServeListener>("serveHttpOnListener");
  const placeholder = placeholderHost(listener.addr, scheme);
  // The negotiated protocol is unknown here: over TLS a missing Host may be due to HTTP/2.
  const isHttp2 = scheme === "https";
  const handle: Handle = (request, info) => {
    const host = () => fieldOf(request.headers, "host");
    const problem = methodCaseProblem(request.method) ??
      hostProblem({ url: request.url, placeholder, isHttp2, host }) ??
      framingProblem(request.headers);
    if (problem !== undefined) {
      return new Response(`${problem}\n`, { status: 400, headers: { connection: "close" } });
    }
    return handler(request, {
      remoteAddress: info.remoteAddr.hostname,
      scheme,
      hold: () => {},
    });
  };
  return serve(listener, cut, handle, onError, () => {});
}
