/**
 * Tests what the edge forwards and what it handles itself (RFC 9110). Covers forged headers,
 * methods that are not forwarded, remaining hops, interim responses, and the content of GET and
 * HEAD requests.
 */
import assert from "node:assert/strict";
import { deployServer } from "../../helpers/compute_site.ts";
import { type Machinery, openMachinery, proxyTo, publish } from "../../helpers/upstreams.ts";
import { createProject, withPlatform } from "../../helpers/platform.ts";

const HOST = "shop.localhost";
const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Headers that a client could use to impersonate another client or a proxy. */
const FORGED: Readonly<Record<string, string>> = {
  "Proxy": "http://evil.test",
  "CF-Connecting-IP": "6.6.6.1",
  "True-Client-IP": "6.6.6.2",
  "X-Real-IP": "6.6.6.3",
  "X-Client-IP": "6.6.6.4",
  "Fastly-Client-IP": "6.6.6.5",
  "Forwarded": "for=6.6.6.6",
  "X-Forwarded-For": "6.6.6.7",
  "X-Forwarded-Prefix": "/evil",
  "X-Forwarded-User": "root",
  "X-Svc-Request-Id": "forged",
  "X-Svc-Deployment": "forged",
  "X-Geo-Country": "KP",
  "CF-IPCountry": "KP",
};

const VALUES = /6\.6\.6\.|evil|forged|root|KP/;

/** Sends raw bytes and reads the response until the connection is closed. */
async function exchange(port: number, request: string): Promise<string> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port });
  await conn.write(encode(request));
  return await new Response(conn.readable).text();
}

const request = (line: string, fields: Readonly<Record<string, string>> = {}, body = "") =>
  [
    `${line} HTTP/1.1`,
    `Host: ${HOST}`,
    "Connection: close",
    ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
    "",
    body,
  ].join("\r\n");

/** Starts a test server that records each request unchanged and responds with `answer`. */
function noting(machinery: Machinery, answer: () => string) {
  const seen: string[] = [];
  const { url } = machinery.listen(async (conn) => {
    const buffer = new Uint8Array(65_536);
    let text = "";
    for (;;) {
      const count = await conn.read(buffer);
      if (count === null) return;
      text += decode(buffer.subarray(0, count));
      const [head = "", body] = text.split("\r\n\r\n", 2);
      const length = Number(/^content-length: (\d+)$/mi.exec(head)?.[1] ?? 0);
      const isChunked = /^transfer-encoding: chunked$/mi.test(head);
      if (body === undefined || (isChunked ? !text.endsWith("0\r\n\r\n") : body.length < length)) {
        continue;
      }
      seen.push(text);
      text = "";
      await conn.write(encode(answer()));
    }
  });
  return { url, seen };
}

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

async function withUpstream(
  run: (port: number, seen: string[]) => Promise<void>,
  answer: () => string = () => OK,
): Promise<void> {
  await using machinery = await openMachinery();
  const { url, seen } = noting(machinery, answer);
  await createProject(machinery.platform, "shop");
  await publish(machinery.platform, "shop", { rules: [proxyTo(url)] });
  await run(machinery.platform.port, seen);
}

Deno.test("another site sees no headers that impersonate other clients", () =>
  withUpstream(async (port, seen) => {
    assert.match(await exchange(port, request("GET /up/a", { ...FORGED, Accept: "*/*" })), / 200 /);
    assert.doesNotMatch(seen[0]!, VALUES);
    assert.match(seen[0]!, /^x-forwarded-for: 127\.0\.0\.1\r$/m);
    assert.match(seen[0]!, /^accept: \*\/\*\r$/m);
  }));

Deno.test("the site's server sees only headers that the edge sets, not forged ones", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployServer(platform, "shop");
    const answer = await platform.get(HOST, "/api/echo", FORGED);
    const { headers } = JSON.parse(answer.text);
    assert.doesNotMatch(JSON.stringify(headers), VALUES);
    assert.equal(headers["x-svc-request-id"], answer.headers["x-svc-request-id"]);
    assert.equal(headers["x-forwarded-for"], "127.0.0.1");
  }));

Deno.test("only the country and network are forwarded from a trusted proxy's headers", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployServer(platform, "shop");
    const { headers } = JSON.parse((await platform.get(HOST, "/api/echo", FORGED)).text);
    assert.deepEqual([headers["x-geo-country"], headers["cf-ipcountry"]], ["KP", "KP"]);
    assert.equal(headers["x-forwarded-for"], "6.6.6.7");
    for (const name of ["cf-connecting-ip", "true-client-ip", "x-real-ip", "proxy", "forwarded"]) {
      assert.equal(headers[name], undefined, name);
    }
  }, { trustProxy: ["127.0.0.1"] }));

Deno.test("TRACE and similar methods end at the edge, before rules, servers and other sites", () =>
  withUpstream(async (port, seen) => {
    for (const method of ["TRACE", "TRACK"]) {
      const answer = await exchange(port, request(`${method} /up/a`, { Cookie: "secret=1" }));
      assert.match(answer, /^HTTP\/1\.1 405 /, method);
      assert.match(answer, /^allow: GET, POST, .*OPTIONS\r$/m);
      assert.doesNotMatch(answer, /secret/);
    }
    const connect = await exchange(
      port,
      `CONNECT ${HOST}:443 HTTP/1.1\r\nHost: ${HOST}:443\r\nConnection: close\r\n\r\n`,
    );
    assert.match(connect, /^HTTP\/1\.1 (?:400|405|501) /);
    assert.deepEqual(seen, []);
  }));

Deno.test("Max-Forwards is obeyed for OPTIONS and ignored for other methods", () =>
  withUpstream(async (port, seen) => {
    const last = await exchange(port, request("OPTIONS /up/a", { "Max-Forwards": "0" }));
    assert.match(last, /^HTTP\/1\.1 204 /);
    assert.match(last, /^allow: GET, POST, /m);
    assert.deepEqual(seen, []);
    for (const [line, sent] of [["OPTIONS /up/a", "4"], ["GET /up/a", "5"]] as const) {
      await exchange(port, request(line, { "Max-Forwards": "5" }));
      assert.match(seen.pop()!, new RegExp(`^max-forwards: ${sent}\\r$`, "m"));
    }
  }));

const INTERIM = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nX-Early: 1\r\n\r\n";

Deno.test("another site's interim responses end at the edge, and the connection stays in sync", () =>
  withUpstream(
    async (port, seen) => {
      for (let round = 0; round < 3; round++) {
        const answer = await exchange(port, request("POST /up/a", { "Content-Length": "2" }, "hi"));
        assert.match(answer, /^HTTP\/1\.1 200 /);
        assert.match(answer, /\r\n\r\nok$/);
        assert.doesNotMatch(answer, /early|preload|HTTP\/1\.1 1/i);
      }
      assert.equal(seen.length, 3);
    },
    () => `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${INTERIM}${OK}`,
  ));

Deno.test("interim responses to a function's fetch end at the edge", async () => {
  await using machinery = await openMachinery();
  const { url } = noting(machinery, () => `${INTERIM}${OK}`);
  const ask = `export default async () => {
    const answer = await fetch("${url}/a");
    return new Response([answer.status, answer.headers.get("link"), await answer.text()].join());
  };`;
  await createProject(machinery.platform, "shop");
  await publish(machinery.platform, "shop", {
    functions: { ask },
    rules: [{ id: "ask", action: { type: "pipeline", steps: [{ handle: "ask" }] } }],
  });
  const answers = [0, 1].map(() => machinery.platform.get(HOST, "/"));
  for (const answer of await Promise.all(answers)) assert.equal(answer.text, "200,,ok");
});

const HINTING = `
import { createServer } from "node:http";
createServer((request, response) => {
  response.writeContinue();
  response.writeProcessing();
  response.writeEarlyHints({ link: "</a.css>; rel=preload" });
  response.end(request.method + " done");
}).listen(process.env.PORT);
`;

Deno.test("interim responses from a site's own server end at the edge", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployServer(platform, "shop", { server: HINTING });
    for (let round = 0; round < 3; round++) {
      const answer = await exchange(platform.port, request("GET /api/x"));
      assert.match(answer, /^HTTP\/1\.1 200 /);
      assert.match(answer, /GET done/);
      assert.doesNotMatch(answer, /preload|HTTP\/1\.1 1/);
    }
  }));

Deno.test("the content of GET and HEAD requests is forwarded to other sites", () =>
  withUpstream(async (port, seen) => {
    for (const method of ["GET", "HEAD"]) {
      const line = `${method} /up/search`;
      await exchange(port, request(line, { "Content-Length": "15" }, `{"q":"kestrel"}`));
      assert.match(seen.pop()!, /content-length: 15\r\n\r\n\{"q":"kestrel"\}$/);
      const chunked = request(line, { "Transfer-Encoding": "chunked" }, "5\r\nhello\r\n0\r\n\r\n");
      await exchange(port, chunked);
      assert.match(seen.pop()!, /transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n$/);
    }
    await exchange(port, request("GET /up/none"));
    assert.match(seen.pop()!, /\r\n\r\n$/, "no body is added to a request without one");
  }));

Deno.test("a GET with content bypasses the cache, and its response is not cached", async () => {
  await using machinery = await openMachinery();
  const { url, seen } = noting(machinery, () => OK);
  const { port } = machinery.platform;
  await createProject(machinery.platform, "shop");
  const cache = { id: "keep", action: { type: "cache", ttlSeconds: 60 } };
  await publish(machinery.platform, "shop", { rules: [proxyTo(url), cache] });
  const plain = request("GET /up/a");
  const fat = request("GET /up/a", { "Content-Length": "6" }, "poison");
  for (const text of [fat, plain, plain, fat]) {
    assert.match(await exchange(port, text), /\r\n\r\nok$/);
  }
  assert.deepEqual(seen.map((text) => text.includes("poison")), [true, false, true]);
});
