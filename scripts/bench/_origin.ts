/**
 * The site behind the proxies in the benches: nginx over HTTPS with its own certificate, so that
 * every proxy in front of it does the same work.
 *
 * @module
 */
import { join } from "node:path";
import { unusedPort } from "../../src/lib/unused_port.ts";
import { type CertificateFiles, makeCertificate } from "../../src/lib/_test_certificate.ts";
import { type Peer, startPeer } from "./_peers.ts";

export interface Origin extends Peer {
  readonly url: string;
  /** PEM file with the origin's certificate authority. */
  readonly caFile: string;
}

const config = (folder: string, port: number, certificate: CertificateFiles): string => `
${Deno.uid() === 0 ? "user root;" : ""}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types;
  access_log off;
  keepalive_requests 1000000;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${certificate.certFile};
    ssl_certificate_key ${certificate.keyFile};
    root ${folder}/files;
  }
}
`;

/** Starts the origin with these files, which are keyed by name. */
export async function startOrigin(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<Origin> {
  await Deno.mkdir(join(folder, "files"), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(folder, "files", name), text);
  }
  const certificate = await makeCertificate(folder, "origin", ["DNS:localhost", "IP:127.0.0.1"]);
  const port = unusedPort();
  const file = join(folder, "nginx.conf");
  await Deno.writeTextFile(file, config(folder, port, certificate));
  const errors = join(folder, "error.log");
  const peer = await startPeer({
    name: "origin",
    command: ["nginx", "-p", folder, "-e", errors, "-c", file],
    port,
  }, folder);
  return { ...peer, url: `https://localhost:${port}`, caFile: certificate.certFile };
}
