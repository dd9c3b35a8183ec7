import { systemRandom } from "../lib/clock.ts";
import assert from "node:assert/strict";
import { noOthers, testSite } from "./_test_site.ts";
import { createEdge } from "./edge.ts";
import { stopServer } from "../lib/stop_server.ts";

/** Sends raw bytes and reads the whole response. */
async function clientRequest(port: number, lines: readonly string[]): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode([...lines, "", ""].join("\r\n")));
  return await new Response(connection.readable).text();
}

async function withServer(run: (port: number) => Promise<void>): Promise<void> {
  const { site } = testSite({ "index.html": "home", "secret/x.txt": "the secret" }, {
    rules: [{
      id: "guard",
      condition: { path: { type: "prefix", value: "/secret" } },
      action: { type: "deny" },
    }],
  });
  const handle = createEdge({
    resolveHost: (host) => host === "site.test" ? site : undefined,
    record: () => {},
    now: () => 0,
    random: systemRandom,
    ...noOthers(),
    requestId: () => "r1",
  });
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request, info) => handle(request, { remoteAddress: info.remoteAddr.hostname, scheme: "http" }),
  );
  try {
    await run(server.addr.port);
  } finally {
    await stopServer(server);
  }
}

const rows: readonly (readonly [name: string, request: readonly string[], status: number])[] = [
  ["a normal host", ["GET / HTTP/1.1", "Host: site.test"], 200],
  ["capitals, port and trailing dot", ["GET / HTTP/1.1", "Host: SITE.test.:8787"], 200],
  ["another host", ["GET / HTTP/1.1", "Host: other.test"], 404],
  ["two hosts", ["GET / HTTP/1.1", "Host: site.test", "Host: other.test"], 400],
  ["a host with a path", ["GET /secret/x.txt HTTP/1.1", "Host: site.test/index.html?"], 400],
  ["a host with a fragment", ["GET /secret/x.txt HTTP/1.1", "Host: site.test/#"], 400],
  ["a host with userinfo", ["GET / HTTP/1.1", "Host: user@site.test"], 400],
  ["a host with a backslash", ["GET / HTTP/1.1", "Host: site.test\\x"], 400],
  ["a host with an escape", ["GET / HTTP/1.1", "Host: site%2etest"], 400],
  [
    "an absolute target, whose host takes precedence",
    ["GET http://site.test/ HTTP/1.1", "Host: x"],
    200,
  ],
  [
    "an absolute target on another host",
    ["GET http://other.test/ HTTP/1.1", "Host: site.test"],
    404,
  ],
  ["dot segments, kept", ["GET /x/../secret/x.txt HTTP/1.1", "Host: site.test"], 403],
  ["a path of two slashes", ["GET //secret/x.txt HTTP/1.1", "Host: site.test"], 403],
  ["backslashes", ["GET /\\secret\\x.txt HTTP/1.1", "Host: site.test"], 403],
  ["a fragment in the target", ["GET /secret/x.txt#a HTTP/1.1", "Host: site.test"], 403],
  ["an asterisk", ["OPTIONS * HTTP/1.1", "Host: site.test"], 404],
  ["an unknown method", ["BREW / HTTP/1.1", "Host: site.test"], 405],
];

Deno.test("edge behind Deno.serve sees hosts and targets as clients send them", async () => {
  await withServer(async (port) => {
    for (const [name, request, status] of rows) {
      const answer = await clientRequest(port, [...request, "Connection: close"]);
      assert.equal(answer.split(" ")[1], String(status), name);
      assert.doesNotMatch(answer, /the secret/, name);
    }
  });
});

Deno.test("edge responds to HEAD with the length of the file and no body", async () => {
  await withServer(async (port) => {
    const answer = await clientRequest(port, [
      "HEAD / HTTP/1.1",
      "Host: site.test",
      "Connection: close",
    ]);
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*content-length: 4\r\n/);
    assert.ok(answer.endsWith("\r\n\r\n"));
  });
});
