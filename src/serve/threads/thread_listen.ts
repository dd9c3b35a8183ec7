/**
 * Where edge threads listen: their ports, and each thread's part of the limits of connections.
 *
 * @module
 */
import { readCertificateFiles } from "../../platform/certificates/mod.ts";
import { completeLimits } from "../../platform/core/listener/mod.ts";
import { ListenError, type ListenOptions, usableDescriptors } from "../listeners.ts";

/**
 * Finds out whether the port is free, and which one it is: sockets that share a port
 * do not fail where others of the same user listen on it already.
 */
function probe(host: string, port: number): number {
  let listener: Deno.TcpListener;
  try {
    listener = Deno.listen({ hostname: host, port });
  } catch (cause) {
    throw cause instanceof Deno.errors.AddrInUse ? cause : new ListenError({ host, port }, cause);
  }
  const { port: found } = listener.addr;
  listener.close();
  return found;
}

/** How much more than its part of an address's connections a thread may have: chance spreads them. */
const ADDRESS_SLACK = 1.5;

/** Each thread's part of the limits. */
export function divideLimits(
  connections: ListenOptions["connections"],
  count: number,
): ListenOptions["connections"] {
  const { maxConnections, maxPerAddress } = completeLimits(connections, usableDescriptors());
  return {
    ...connections,
    maxConnections: Math.ceil(maxConnections / count),
    maxPerAddress: Math.min(maxPerAddress, Math.ceil(ADDRESS_SLACK * maxPerAddress / count)),
  };
}

/** The ports, each free at this moment, or of the platform that these threads take over from. */
export async function choosePorts(listen: ListenOptions): Promise<ListenOptions> {
  if (listen.takesOver) return listen;
  const port = probe(listen.host, listen.port);
  if (listen.tls === undefined && !listen.ordersCertificates) return { ...listen, port };
  if (listen.tls !== undefined) await readCertificateFiles(listen.tls, Date.now());
  return { ...listen, port, httpsPort: probe(listen.host, listen.httpsPort ?? 443) };
}
