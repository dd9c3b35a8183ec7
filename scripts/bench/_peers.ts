/**
 * nginx and Caddy from Debian, each with its default ways, an access log on,
 * and a configuration in a temporary folder.
 *
 * @module
 */
import { join } from "node:path";
import { fetchByHost } from "../_fetch_by_host.ts";
import type { Command } from "../_program.ts";

export interface Peer {
  readonly name: string;
  readonly port: number;
  stop(): Promise<void>;
}

export interface PeerSite {
  /** Folder for configuration and logs. */
  readonly folder: string;
  /** Folder that is served. */
  readonly root: string;
  /** Redirects by path, status 301. */
  readonly redirects: ReadonlyMap<string, string>;
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

const nginxConfig = (site: PeerSite, port: number): string => `
${Deno.uid() === 0 ? "user root;" : ""}
daemon off;
worker_processes auto;
pid ${site.folder}/nginx.pid;
error_log ${site.folder}/nginx-error.log;
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types;
  access_log ${site.folder}/nginx-access.log;
  sendfile on;
  tcp_nopush on;
  client_body_temp_path ${site.folder}/body;
  proxy_temp_path ${site.folder}/proxy;
  fastcgi_temp_path ${site.folder}/fastcgi;
  uwsgi_temp_path ${site.folder}/uwsgi;
  scgi_temp_path ${site.folder}/scgi;
  map_hash_bucket_size 128;
  map_hash_max_size 8192;
  map $uri $target {
    default "";
    ${[...site.redirects].map(([from, to]) => `${from} ${to};`).join("\n    ")}
  }
  server {
    listen 127.0.0.1:${port};
    root ${site.root};
    absolute_redirect off;
    if ($target) { return 301 $target$is_args$args; }
  }
}
`;

const caddyConfig = (site: PeerSite, port: number): string => `
{
  admin off
  auto_https off
}
:${port} {
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
  file_server
}
`;

async function start(
  peer: { readonly name: string; readonly command: Command; readonly port: number },
  folder: string,
): Promise<Peer> {
  const [program, ...args] = peer.command;
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
        throw new Error(`Can not start ${peer.name}`, { cause });
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return {
    name: peer.name,
    port: peer.port,
    async stop() {
      if (!ended) child.kill("SIGTERM");
      await status;
    },
  };
}

async function startNginx(site: PeerSite): Promise<Peer> {
  const port = freePort();
  const config = join(site.folder, "nginx.conf");
  await Deno.writeTextFile(config, nginxConfig(site, port));
  const errors = join(site.folder, "nginx-error.log");
  const command: Command = ["nginx", "-p", site.folder, "-e", errors, "-c", config];
  return await start({ name: "nginx", command, port }, site.folder);
}

async function startCaddy(site: PeerSite): Promise<Peer> {
  const port = freePort();
  const config = join(site.folder, "Caddyfile");
  await Deno.writeTextFile(config, caddyConfig(site, port));
  const command: Command = ["caddy", "run", "--config", config, "--adapter", "caddyfile"];
  return await start({ name: "Caddy", command, port }, site.folder);
}

/** Runs something beside nginx and Caddy, each on a free port, and stops both in any case. */
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
