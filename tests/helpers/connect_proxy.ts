/**
 * A corporate proxy. It sees the host and port of a TLS connection (CONNECT), but not its content.
 *
 * @module
 */
import { makeCertificate } from "../../src/lib/_test_certificate.ts";
import { stopServer } from "../../src/lib/stop_server.ts";

interface ProxiedPlace extends AsyncDisposable {
  /** The connection targets that clients requested, in order. */
  readonly asked: readonly string[];
  /** Environment variables that a program needs to reach the host through the proxy. */
  readonly env: Readonly<Record<string, string>>;
}

/** Reads up to the empty line after the head, and returns the head. */
async function readHead(connection: Deno.Conn): Promise<string> {
  const decoder = new TextDecoder();
  const piece = new Uint8Array(4096);
  let head = "";
  while (!head.includes("\r\n\r\n") && head.length < 8192) {
    const count = await connection.read(piece);
    if (count === null) break;
    head += decoder.decode(piece.subarray(0, count));
  }
  return head;
}

/** Forwards a connection to a port on this machine once the client has sent its CONNECT request. */
async function joinTo(port: number, connection: Deno.Conn, asked: string[]): Promise<void> {
  const [, target] = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(await readHead(connection)) ?? [];
  if (target === undefined) return connection.close();
  asked.push(target);
  const origin = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode("HTTP/1.1 200 Connection established\r\n\r\n"));
  await Promise.allSettled([
    connection.readable.pipeTo(origin.writable),
    origin.readable.pipeTo(connection.writable),
  ]);
}

/**
 * Makes `place` available at `https://<host>`, which is reachable only through the proxy.
 *
 * @param folder folder for the certificate, whose path is in the returned environment
 */
export async function proxyPlace(
  place: string,
  { host, folder }: { readonly host: string; readonly folder: string },
): Promise<ProxiedPlace> {
  const { certFile, keyFile } = await makeCertificate(folder, host, [`DNS:${host}`]);
  const [cert, key] = [await Deno.readTextFile(certFile), await Deno.readTextFile(keyFile)];
  const origin = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert, key, onListen() {} },
    (request) => fetch(`${place}${new URL(request.url).pathname}`),
  );
  const proxy = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const asked: string[] = [];
  const joined: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const connection of proxy) joined.push(joinTo(origin.addr.port, connection, asked));
  })();
  return {
    asked,
    env: {
      HTTPS_PROXY: `http://127.0.0.1:${proxy.addr.port}`,
      SSL_CERT_FILE: certFile,
      NO_PROXY: "",
      no_proxy: "",
    },
    async [Symbol.asyncDispose]() {
      proxy.close();
      await stopServer(origin);
      await Promise.allSettled([accepting, ...joined]);
    },
  };
}
