/**
 * An in-memory server for Git LFS objects (batch API).
 *
 * @module
 */
import { createHash } from "node:crypto";
import { stopServer } from "../../src/lib/stop_server.ts";

interface LfsTestServer extends AsyncDisposable {
  readonly url: string;
  /** Credentials of requests, by path. */
  readonly asked: { readonly path: string; readonly authorization: string | null }[];
  /**
   * Stores content and returns the pointer to it. If `sent` is set, clients get that instead of the
   * content.
   */
  add(content: string, sent?: string): string;
}

/** Starts the server. With `basic`, the server accepts clients that send `user:password`. */
export function serveLfs({ basic }: { readonly basic?: string } = {}): LfsTestServer {
  const objects = new Map<string, { readonly size: number; readonly sent: string }>();
  const asked: LfsTestServer["asked"] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname: path, origin } = new URL(request.url);
      const authorization = request.headers.get("authorization");
      asked.push({ path, authorization });
      const [, oid] = /^\/objects\/([0-9a-f]{64})$/.exec(path) ?? [];
      if (oid !== undefined) return new Response(objects.get(oid)?.sent);
      if (basic !== undefined && authorization !== `Basic ${btoa(basic)}`) {
        return Response.json({ message: "Credentials needed" }, { status: 401 });
      }
      const wanted: { oid: string; size: number }[] = (await request.json()).objects;
      return Response.json({
        transfer: "basic",
        objects: wanted.map(({ oid, size }) =>
          objects.has(oid)
            ? { oid, size, actions: { download: { href: `${origin}/objects/${oid}` } } }
            : { oid, size, error: { code: 404, message: "Object does not exist" } }
        ),
      }, { headers: { "content-type": "application/vnd.git-lfs+json" } });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    asked,
    add(content, sent = content) {
      const oid = createHash("sha256").update(content).digest("hex");
      const size = new TextEncoder().encode(content).byteLength;
      objects.set(oid, { size, sent });
      return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
    },
    [Symbol.asyncDispose]: () => stopServer(server),
  };
}
