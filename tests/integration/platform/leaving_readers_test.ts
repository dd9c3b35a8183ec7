/**
 * Readers abandon streams and downloads partway through. The platform must notice that, and
 * continue to run.
 */
import assert from "node:assert/strict";
import { type BuildPlatform, withBuilds } from "../../helpers/git_builds.ts";
import { createDatabase } from "../../helpers/databases.ts";
import { TOKEN } from "../../helpers/platform.ts";

const READERS = 40;

/** The file is 4 MB, so readers disconnect before most of it has been sent. */
const SETTINGS = {
  buildCommand: "mkdir out; head -c 4000000 /dev/zero > out/big.bin; echo ok > out/index.html",
  outputDirectory: "out",
};

interface Request {
  readonly name: string;
  readonly host?: string;
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
}

function encode({ host = "localhost", path, method = "GET", body = "" }: Request): Uint8Array {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    // git sends the key as a password. The API accepts the same key as a bearer token.
    `Authorization: ${
      path.startsWith("/git/") ? `Basic ${btoa(`x:${TOKEN}`)}` : `Bearer ${TOKEN}`
    }`,
    ...(body === "" ? [] : ["Content-Type: application/json", `Content-Length: ${body.length}`]),
  ];
  return new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

/** Sends a request and disconnects, immediately or after the first bytes of the response. */
async function leave(port: number, request: Request, reads: boolean): Promise<string> {
  using conn = await Deno.connect({ hostname: "127.0.0.1", port });
  await conn.write(encode(request));
  if (!reads) return "";
  const bytes = new Uint8Array(1000);
  const count = await conn.read(bytes) ?? 0;
  return new TextDecoder().decode(bytes.subarray(0, count)).split("\r\n", 1)[0] ?? "";
}

async function unhandledErrors({ port }: BuildPlatform): Promise<string> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return /^svc_unhandled_errors_total (\d+)$/m.exec(text)?.[1] ?? "not measured";
}

Deno.test("readers that abandon a stream partway through do not harm the platform", () =>
  withBuilds(async (platform) => {
    const { project, build, api, port } = platform;
    const { id, hook } = await project("shop", SETTINGS);
    const { id: deployment } = await build(hook, { "note.txt": "one" });
    await api("POST", "/v1/projects", { json: { name: "pushed" } });
    await createDatabase(platform, id, "orders");
    const database = `/v1/projects/${id}/databases/orders`;
    const sql = JSON.stringify({ sql: "SELECT repeat('x', 1000) FROM generate_series(1, 5000)" });
    const requests: readonly Request[] = [
      { name: "build log", path: `/v1/deployments/${deployment}/build-log/stream` },
      { name: "logs", path: `/v1/projects/${id}/logs/stream` },
      { name: "notifications", path: "/v1/notifications/stream" },
      { name: "file", host: "shop.localhost", path: "/big.bin" },
      { name: "git", path: "/git/default/pushed.git/info/refs?service=git-receive-pack" },
      { name: "export", path: `${database}/export` },
      { name: "query", path: `${database}/query`, method: "POST", body: sql },
    ];
    for (const request of requests) {
      assert.equal(await leave(port, request, true), "HTTP/1.1 200 OK", request.name);
      for (let reader = 0; reader < READERS; reader++) await leave(port, request, reader % 2 === 0);
    }
    assert.equal((await api("GET", "/v1/health")).status, 200);
    assert.equal(await unhandledErrors(platform), "0");
  }));
