/**
 * Runs HAProxy in front of the nodes, as in docs/scaling.md. HAProxy also forwards connections to
 * and from the network of a node that can be cut off.
 *
 * @module
 */
import { Child } from "./child.ts";

/** A server behind a load balancer. */
export interface Behind {
  readonly name: string;
  readonly port: number;
}

const TIMES = `
global
  maxconn 4000
defaults
  timeout connect 1s
  timeout check 5s
  timeout client 60s
  timeout server 60s
`;

const backend = (name: string, path: string, servers: readonly Behind[]) => `
backend ${name}
  option httpchk
  http-check send meth GET uri ${path} ver HTTP/1.1 hdr Host localhost
  http-after-response set-header x-answered-by %[srv_name]
${
  servers.map(({ name, port }) =>
    `  server ${name} 127.0.0.1:${port} check inter 250ms fall 2 rise 1`
  ).join("\n")
}
`;

/**
 * Returns a configuration that sends requests to ready nodes. If none is ready, for example while
 * the database is down, it sends them to live nodes.
 */
const balancerFile = (port: number, nodes: readonly Behind[]) =>
  `${TIMES}
  mode http
  option forwardfor
  option redispatch 1
  retries 3
  balance roundrobin
frontend all
  bind 127.0.0.1:${port}
  use_backend ready if { nbsrv(ready) gt 0 }
  default_backend alive
${backend("ready", "/readyz", nodes)}${backend("alive", "/healthz", nodes)}`;

/** A route for connections, with addresses in HAProxy's format, which includes `unix@<path>`. */
export interface TcpRoute {
  readonly from: string;
  readonly to: string;
}

const wayFile = (ways: readonly TcpRoute[]) =>
  `${TIMES}
  mode tcp
${
    ways.map(({ from, to }, index) => `
listen way_${index}
  bind ${from}
  server end ${to}
`).join("")
  }`;

interface Started {
  /** The start of the command line, which precedes the HAProxy program. */
  readonly prefix?: readonly string[];
  /** The port that is open once the load balancer has started. */
  readonly port?: number;
}

async function startHaproxy(
  folder: string,
  text: string,
  { prefix = [], port }: Started,
): Promise<Child> {
  const file = await Deno.makeTempFile({ dir: folder, prefix: "haproxy-", suffix: ".cfg" });
  await Deno.writeTextFile(file, text);
  const [program, ...args] = [...prefix, "haproxy", "-db", "-f", file];
  return await Child.start([program!, ...args], port === undefined ? {} : { ready: { port } });
}

/** Starts a load balancer for nodes. */
export function startBalancer(
  folder: string,
  port: number,
  nodes: readonly Behind[],
): Promise<Child> {
  return startHaproxy(folder, balancerFile(port, nodes), { port });
}

/** Starts a proxy that forwards connections. */
export function startTcpWays(
  folder: string,
  ways: readonly TcpRoute[],
  started: Started,
): Promise<Child> {
  return startHaproxy(folder, wayFile(ways), started);
}
