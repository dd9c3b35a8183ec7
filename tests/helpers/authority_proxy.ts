/**
 * A TLS proxy in front of Pebble. The proxy rejects requests on demand, because Pebble checks
 * neither CAA records nor limits.
 *
 * @module
 */
import { makeCertificate } from "../../src/lib/_test_certificate.ts";
import type { Pebble } from "./pebble.ts";

export interface Refusal {
  /** Path prefix of the requests to reject, `/order-plz` or `/finalize-order/`. */
  readonly path: string;
  readonly status: number;
  /** The last part of the error's type, such as `caa`. */
  readonly type: string;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AuthorityProxy {
  readonly directoryUrl: string;
  /** PEM file that clients need to trust the proxy. */
  readonly serverCaFile: string;
  /** The requests to reject from now on, and the error with which to reject them. */
  refusal: Refusal | undefined;
  /** Paths of the requests that have been handled or deliberately rejected so far. */
  readonly paths: string[];
  /** Stops listening. */
  leave(): Promise<void>;
  /** Listens again on the same port. */
  comeBack(): void;
  close(): Promise<void>;
}

function refuse({ type, detail, status, headers = {} }: Refusal): Response {
  const problem = { type: `urn:ietf:params:acme:error:${type}`, detail, status };
  return Response.json(problem, {
    status,
    headers: { ...headers, "content-type": "application/problem+json" },
  });
}

/** Starts a proxy that adds `caaIdentities` to the directory. */
export async function startAuthorityProxy(
  pebble: Pebble,
  { folder, caaIdentities }: { readonly folder: string; readonly caaIdentities: readonly string[] },
): Promise<AuthorityProxy> {
  const { certFile, keyFile } = await makeCertificate(folder, "proxy", ["IP:127.0.0.1"]);
  // Pebble builds its URLs from the request's host, which HTTP/2 clients cannot choose.
  const client = Deno.createHttpClient({
    caCerts: [await Deno.readTextFile(pebble.serverCaFile)],
    http2: false,
    allowHost: true,
  });
  const pass = async (request: Request): Promise<Response> => {
    const { host, pathname } = new URL(request.url);
    const { refusal } = proxy;
    if (refusal !== undefined && pathname.startsWith(refusal.path)) {
      proxy.paths.push(pathname);
      return refuse(refusal);
    }
    const response = await fetch(new URL(pathname, pebble.directoryUrl), {
      method: request.method,
      headers: { ...Object.fromEntries(request.headers), host },
      body: request.method === "POST" ? await request.text() : null,
      client,
    });
    // Pebble rejects some nonces at random. In that case, the client sends the request again.
    if (response.status !== 400) proxy.paths.push(pathname);
    if (pathname !== "/dir") return response;
    const directory = await response.json();
    return Response.json({ ...directory, meta: { ...directory.meta, caaIdentities } });
  };
  const identity = {
    cert: await Deno.readTextFile(certFile),
    key: await Deno.readTextFile(keyFile),
  };
  const listen = (port: number) =>
    Deno.serve({ hostname: "127.0.0.1", port, ...identity, onListen: () => {} }, pass);
  let server = listen(0);
  const { port } = server.addr;
  const proxy: AuthorityProxy = {
    directoryUrl: `https://127.0.0.1:${port}/dir`,
    serverCaFile: certFile,
    refusal: undefined,
    paths: [],
    leave: () => server.shutdown(),
    comeBack() {
      server = listen(port);
    },
    async close() {
      await server.shutdown();
      client.close();
    },
  };
  return proxy;
}
