/**
 * nginx and Caddy from Debian, each with its defaults, an access log, and a configuration in a
 * temporary folder. nginx keeps a connection open for more than its default of 1,000 requests,
 * because h2load does not reconnect.
 *
 * @module
 */
import { unusedPort } from "../../src/lib/unused_port.ts";
import { join } from "node:path";
import { fetchByHost } from "../_fetch_by_host.ts";
import type { Command } from "../_program.ts";
import type { CertificateFiles } from "../../src/lib/_test_certificate.ts";

export interface Peer {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** Port for HTTP/1.1 and HTTP/2 over TLS. Missing if the peer has only one port. */
  readonly httpsPort?: number;
  stop(): Promise<void>;
}

interface PeerSite {
  /** Folder for configuration and logs. */
  readonly folder: string;
  /** The folder to serve. */
  readonly root: string;
  readonly certificate: CertificateFiles;
  /** Targets of redirects with status 301, keyed by path. */
  readonly redirects: ReadonlyMap<string, string>;
  /** The origin to which all requests are forwarded. Without it, the peer serves the folder. */
  readonly origin?: PeerOrigin;
}

interface PeerOrigin {
  /** Base URL, without a path. */
  readonly url: string;
  /** PEM file with the certificate authority of an HTTPS origin. Missing for plain HTTP. */
  readonly caFile?: string;
  /**
   * Whether nginx caches responses, for a minute. Caddy has no cache and always forwards requests.
   */
  readonly cached: boolean;
}

function nginxProxy(site: PeerSite): string {
  const { origin } = site;
  if (origin === undefined) return "";
  const { caFile } = origin;
  const trust = caFile === undefined ? "" : `
      proxy_ssl_trusted_certificate ${caFile};
      proxy_ssl_verify on;
      proxy_ssl_name localhost;
      proxy_ssl_server_name on;`;
  const cache = origin.cached ? "proxy_cache bench; proxy_cache_valid 200 1m;" : "";
  return `
    location / {
      proxy_pass ${new URL(origin.url).protocol}//bench_origin;
      proxy_http_version 1.1;
      proxy_set_header Connection "";${trust}
      ${cache}
    }`;
}

/** Without an upstream block, nginx opens a connection for each request. */
const nginxUpstream = ({ origin }: PeerSite): string =>
  origin === undefined
    ? ""
    : `upstream bench_origin { server ${new URL(origin.url).host}; keepalive 64; }`;

function caddyProxy({ origin }: PeerSite): string {
  if (origin === undefined) return "file_server";
  const { url, caFile } = origin;
  return caFile === undefined ? `reverse_proxy ${url}` : `
  reverse_proxy ${url} {
    transport http {
      tls_trusted_ca_certs ${caFile}
      tls_server_name localhost
    }
  }`;
}

interface Ports {
  readonly port: number;
  readonly httpsPort: number;
}

const nginxConfig = (site: PeerSite, { port, httpsPort }: Ports): string => `
${Deno.uid() === 0 ? "user root;" : ""}
daemon off;
worker_processes auto;
pid ${site.folder}/nginx.pid;
error_log ${site.folder}/nginx-error.log;
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types;
  access_log ${site.folder}/nginx-access.log;
  keepalive_requests 1000000;
  sendfile on;
  tcp_nopush on;
  client_body_temp_path ${site.folder}/body;
  proxy_temp_path ${site.folder}/proxy;
  fastcgi_temp_path ${site.folder}/fastcgi;
  uwsgi_temp_path ${site.folder}/uwsgi;
  scgi_temp_path ${site.folder}/scgi;
  proxy_cache_path ${site.folder}/cache keys_zone=bench:10m;
  ${nginxUpstream(site)}
  map_hash_bucket_size 128;
  map_hash_max_size 8192;
  map $uri $target {
    default "";
    ${[...site.redirects].map(([from, to]) => `${from} ${to};`).join("\n    ")}
  }
  server {
    listen 127.0.0.1:${port};
    listen 127.0.0.1:${httpsPort} ssl http2;
    ssl_certificate ${site.certificate.certFile};
    ssl_certificate_key ${site.certificate.keyFile};
    root ${site.root};
    absolute_redirect off;
    if ($target) { return 301 $target$is_args$args; }
    ${nginxProxy(site)}
  }
}
`;

const caddyConfig = (site: PeerSite, { port, httpsPort }: Ports): string => `
{
  admin off
  auto_https off
  servers {
    protocols h1 h2
  }
}
(bench) {
  bind 127.0.0.1
  root * ${site.root}
  log {
    output file ${site.folder}/caddy-access.log
  }
  map {path} {target} {
    ${[...site.redirects].map(([from, to]) => `${from} ${to}`).join("\n    ")}
    default ""
  }
  @moved not vars {target} ""
  redir @moved {target} 301
  ${caddyProxy(site)}
}
http://:${port} {
  import bench
}
https://:${httpsPort} {
  import bench
  tls ${site.certificate.certFile} ${site.certificate.keyFile}
}
`;

/** Starts a server and returns when it responds. */
export async function startPeer(
  peer: Omit<Peer, "stop" | "pid"> & { readonly command: Command },
  folder: string,
): Promise<Peer> {
  const { command: [program, ...args], ...rest } = peer;
  const child = new Deno.Command(program, {
    args,
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let ended = false;
  const status = child.status.then(() => ended = true);
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      await fetchByHost({ port: peer.port, host: "127.0.0.1", path: "/" });
      break;
    } catch (cause) {
      if (ended || Date.now() > deadline) {
        if (!ended) child.kill("SIGTERM");
        throw new Error(`Cannot start ${peer.name}`, { cause });
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return {
    ...rest,
    pid: child.pid,
    async stop() {
      if (!ended) child.kill("SIGTERM");
      await status;
    },
  };
}

async function startNginx(site: PeerSite): Promise<Peer> {
  const ports = { port: unusedPort(), httpsPort: unusedPort() };
  const config = join(site.folder, "nginx.conf");
  await Deno.writeTextFile(config, nginxConfig(site, ports));
  const errors = join(site.folder, "nginx-error.log");
  const command: Command = ["nginx", "-p", site.folder, "-e", errors, "-c", config];
  return await startPeer({ name: "nginx", command, ...ports }, site.folder);
}

async function startCaddy(site: PeerSite): Promise<Peer> {
  const ports = { port: unusedPort(), httpsPort: unusedPort() };
  const config = join(site.folder, "Caddyfile");
  await Deno.writeTextFile(config, caddyConfig(site, ports));
  const command: Command = ["caddy", "run", "--config", config, "--adapter", "caddyfile"];
  return await startPeer({ name: "Caddy", command, ...ports }, site.folder);
}

/** Starts nginx and Caddy, each on a free port, calls `run`, and always stops both servers. */
export async function withPeers<T>(
  site: PeerSite,
  run: (peers: readonly Peer[]) => Promise<T>,
): Promise<T> {
  const peers: Peer[] = [];
  try {
    peers.push(await startNginx(site));
    peers.push(await startCaddy(site));
    return await run(peers);
  } finally {
    for (const peer of peers) await peer.stop();
  }
}
