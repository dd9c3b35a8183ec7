/**
 * Loopback ports that lead only to the edge. With them, requests from deployment servers to the
 * platform's own hosts do not leave this machine. Sandboxes redirect connections to these ports if
 * they were meant for the platform's ports.
 *
 * @module
 */
import { systemClock } from "../lib/clock.ts";
import type { PlatformLog } from "../platform/core/log.ts";
import { type ConnectionHandler, createLoopbackAcceptor } from "../platform/core/listener/mod.ts";
import {
  type ChangedNames,
  openSecureListener,
  type SecureListenerOptions,
} from "../platform/certificates/mod.ts";
import type { LocalRoute } from "../runtime/mod.ts";

const HOST = "127.0.0.1";

/** Time that requests in progress have to finish when the platform stops, in milliseconds. */
const DRAIN_MS = 2000;

export interface OwnListeners {
  /**
   * Returns the route for a scheme and one of the platform's ports; `undefined` if there is none.
   */
  routeOf(port: number, scheme: "http" | "https"): LocalRoute | undefined;
  certificatesChanged(names: ChangedNames): Promise<void>;
  close(): Promise<void>;
}

/** Opens a port for HTTP, and another one for HTTPS if the platform has certificates. */
export async function openOwnListeners(
  { handler, secure, log }: {
    readonly handler: ConnectionHandler;
    /** The platform's certificates; missing if the platform serves only HTTP. */
    readonly secure: Pick<SecureListenerOptions, "files" | "ordered"> | undefined;
    readonly log: (line: PlatformLog) => void;
  },
): Promise<OwnListeners> {
  const warn = (message: string) => log({ level: "warn", message });
  const acceptor = createLoopbackAcceptor("Requests from servers to the platform", warn);
  const plain = Deno.listen({ hostname: HOST, port: 0 });
  const closing = new AbortController();
  const served = acceptor.serve({ listener: plain, handler, closed: closing.signal })
    .catch((error) => warn(`Servers can no longer reach the platform: ${error}`));
  const encrypted = secure && await openSecureListener({
    ...secure,
    hostname: HOST,
    port: 0,
    now: systemClock,
    log,
    serve: (listener, closed) => acceptor.serve({ listener, closed, handler }),
  });
  const ports = { http: plain.addr.port, https: encrypted?.port };
  return {
    routeOf(port, scheme) {
      const to = ports[scheme];
      return to === undefined
        ? undefined
        : { port, to: { host: HOST, port: to }, isAnnounced: false };
    },
    certificatesChanged: async (names) => await encrypted?.changed(names),
    async close() {
      closing.abort();
      try {
        plain.close();
      } catch { /* its server has closed it */ }
      await encrypted?.close();
      await acceptor.drain(DRAIN_MS);
      await served;
    },
  };
}
