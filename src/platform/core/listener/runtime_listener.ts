/**
 * All connections of a listener at once, served by the runtime: for those
 * runtimes that end a WebSocket when its connection's own server ends, as Deno
 * 2.9 does (docs/decisions/own-listener.md). Bounds of connections do not hold
 * here, but for what the sockets start with.
 *
 * @module
 */
import type { CutSignal } from "./cut_signal.ts";
import { hostProblem, placeholderHost } from "./request_problems.ts";
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
  /** Cuts everything off. */
  readonly cut: CutSignal;
}

/** Serves until it is shut down; `finished` rejects where the system is short of descriptors. */
export function serveByRuntime(options: RuntimeListenerOptions): ServedConnection {
  const { listener, scheme, handler, onError, cut } = options;
  const serve = findInternal<ServeListener>("serveHttpOnListener");
  const placeholder = placeholderHost(listener.addr, scheme);
  // What was negotiated is not told here: over TLS a missing Host may be HTTP/2's.
  const isHttp2 = scheme === "https";
  const handle: Handle = (request, info) => {
    const host = () => request.headers.get("host");
    const problem = hostProblem({ url: request.url, placeholder, isHttp2, host });
    if (problem !== undefined) return new Response(`${problem}\n`, { status: 400 });
    return handler(request, {
      remoteAddress: info.remoteAddr.hostname,
      scheme,
      hold: () => {},
    });
  };
  return serve(listener, cut, handle, onError, () => {});
}
