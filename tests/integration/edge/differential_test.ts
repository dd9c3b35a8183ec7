/**
 * Checks that rules see the same request as the server behind them. Sends the same requests as raw
 * HTTP/1.1, over HTTP/2, and as WebSocket upgrades. Rules match the requests, and a Node server
 * repeats them in its responses.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { connect } from "node:http2";
import { deployServer, LAYERS } from "../../helpers/compute_site.ts";
import { createProject, type TestPlatform, withPlatform } from "../../helpers/platform.ts";

const HOST = "shop.localhost";

const ECHO = `
import { createServer } from "node:http";
import { createHash } from "node:crypto";
const seen = (request) => JSON.stringify({
  method: request.method, url: request.url, headers: request.headers,
});
const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("latin1").on("data", (chunk) => body += chunk).on("end", () => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...JSON.parse(seen(request)), body }));
  });
});
server.on("upgrade", (request, socket) => {
  const accept = createHash("sha1")
    .update(request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
    .digest("base64");
  socket.write("HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\n" +
    "connection: Upgrade\\r\\nsec-websocket-accept: " + accept + "\\r\\n\\r\\n");
  const text = Buffer.from(seen(request));
  socket.write(Buffer.concat([Buffer.from([129, 126, text.length >> 8, text.length & 255]), text]));
});
server.listen(Number(process.env.PORT), process.env.HOST);
`;

/** A request as the server sees it. */
interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

interface Probe {
  readonly condition: unknown;
  /** Returns whether the condition matches the request that the server sees. */
  readonly holds: (seen: Seen) => boolean;
}

const query = ({ url }: Seen) => new URL(url, "http://host").searchParams;
const path = ({ url }: Seen) => url.split("?")[0];
const cookies = ({ headers }: Seen) => (headers.cookie ?? "").split(/; */);

/**
 * The conditions. Each entry becomes a rule that adds a header to the response if the condition
 * matches.
 */
const PROBES: Readonly<Record<string, Probe>> = {
  "x-saw-post": { condition: { methods: ["POST"] }, holds: ({ method }) => method === "POST" },
  "x-saw-get": { condition: { methods: ["GET"] }, holds: ({ method }) => method === "GET" },
  "x-saw-host": {
    condition: { host: HOST },
    holds: ({ headers }) => headers.host?.replace(/:\d+$/, "") === HOST,
  },
  "x-saw-host-field": {
    condition: { headers: { host: HOST } },
    holds: ({ headers }) => headers.host === HOST,
  },
  "x-saw-role": {
    condition: { headers: { "x-role": "admin" } },
    // A rule matches if one item in the list matches.
    holds: ({ headers }) => headers["x-role"]?.split(", ").includes("admin") === true,
  },
  "x-saw-both": {
    condition: { headers: { "x-role": "user, admin" } },
    holds: ({ headers }) => headers["x-role"] === "user, admin",
  },
  "x-saw-latin": {
    condition: { headers: { "x-role": "caf\u00e9" } },
    holds: ({ headers }) => headers["x-role"] === "caf\u00e9",
  },
  "x-saw-real-ip": {
    condition: { headers: { "x-real-ip": "10.0.0.1" } },
    holds: ({ headers }) => headers["x-real-ip"] === "10.0.0.1",
  },
  "x-saw-forwarded-host": {
    condition: { headers: { "x-forwarded-host": "evil.test" } },
    holds: ({ headers }) => headers["x-forwarded-host"] === "evil.test",
  },
  "x-saw-scheme": {
    condition: { headers: { "x-forwarded-proto": "http" } },
    holds: ({ headers }) => headers["x-forwarded-proto"] === "http",
  },
  "x-saw-subrequest": {
    condition: { headers: { "x-middleware-subrequest": "middleware" } },
    holds: ({ headers }) => headers["x-middleware-subrequest"] === "middleware",
  },
  "x-saw-country": {
    condition: { headers: { "cf-ipcountry": "DE" } },
    holds: ({ headers }) => headers["cf-ipcountry"] === "DE",
  },
  "x-saw-admin": {
    condition: { path: { type: "prefix", value: "/admin" } },
    holds: (seen) => /^\/admin(?:\/|$)/.test(path(seen)!),
  },
  "x-saw-umlaut": {
    condition: { path: { type: "exact", value: "/\u00fc" } },
    holds: (seen) => path(seen)!.toUpperCase() === "/%C3%BC",
  },
  "x-saw-query": {
    condition: { query: { role: "admin" } },
    holds: (seen) => query(seen).get("role") === "admin",
  },
  "x-saw-cookie": {
    condition: { cookies: { role: "admin" } },
    holds: (seen) => cookies(seen).includes("role=admin"),
  },
};

const RULES = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: Object.entries(PROBES).map(([name, { condition }]) => ({
    id: name,
    condition,
    action: { type: "set_headers", headers: { [name]: "yes" } },
  })),
};

const lines = (request: string, ...fields: string[]) =>
  [`${request} HTTP/1.1`, ...fields, "Connection: close", "", ""].join("\r\n");
const to = (target: string, ...fields: string[]) =>
  lines(`GET ${target}`, `Host: ${HOST}`, ...fields);

/** Raw requests in Latin-1 that reach both the rules and the server. */
const ANSWERED: Readonly<Record<string, string>> = {
  "plain": to("/"),
  "a POST": lines("POST /admin", `Host: ${HOST}`, "Content-Length: 2") + "ok",
  "an unlisted method": lines("PROPFIND /", `Host: ${HOST}`),
  "an uppercase host": lines("GET /", "Host: SHOP.LocalHost"),
  "a host with a trailing dot": lines("GET /", `Host: ${HOST}.`),
  "a host with a port": lines("GET /", `Host: ${HOST}:99`),
  "an absolute target with another host": lines(`GET http://${HOST}/admin`, "Host: other.test"),
  "a header name in different case": to("/", "X-ROLE: admin"),
  "spaces around a value": to("/", "X-Role: \t admin \t"),
  "a header sent twice": to("/", "X-Role: user", "X-Role: admin"),
  "a value in different case": to("/", "X-Role: Admin"),
  "a value with a byte above 0x80": to("/", "X-Role: caf\xe9"),
  "a name with an underscore": to("/", "X_Role: admin"),
  "a header that Connection names": lines(
    "GET /",
    `Host: ${HOST}`,
    "X-Role: admin",
    "Connection: X-Role",
  ),
  "cookies that Connection names": lines(
    "GET /",
    `Host: ${HOST}`,
    "Cookie: role=admin",
    "Connection: close, cookie",
  ),
  "headers that only an edge may set": to(
    "/",
    "X-Real-IP: 10.0.0.1",
    "X-Forwarded-Host: evil.test",
    "X-Forwarded-Proto: https",
    "CF-IPCountry: DE",
    "X-Middleware-Subrequest: middleware",
  ),
  "dot segments": to("/x/../admin"),
  "encoded dot segments": to("/x/%2e%2E/admin"),
  "encoded letters": to("/%61dmin/a"),
  "doubled slashes": to("//admin"),
  "a path in different case": to("/ADMIN"),
  "a raw UTF-8 path": to("/\xc3\xbc"),
  "an encoded UTF-8 path": to("/%c3%BC"),
  "an encoded query": to("/?r%6fle=%61dmin"),
  "a parameter sent twice": to("/?role=admin&role=user"),
  "a query after a second question mark": to("/??role=admin"),
  "a fragment": to("/#/admin?role=admin"),
  "two cookies in one header": to("/", "Cookie: a=b; role=admin"),
  "two Cookie headers": to("/", "Cookie: a=b", "Cookie: role=admin"),
  "a chunked body": lines("POST /", `Host: ${HOST}`, "Transfer-Encoding: chunked") +
    "2\r\nok\r\n0\r\n\r\n",
  "a body with a content coding": lines(
    "POST /",
    `Host: ${HOST}`,
    "Content-Encoding: gzip",
    "Content-Length: 2",
  ) + "ok",
};

/**
 * Requests that are rejected before they reach rules and servers, because servers could interpret
 * them differently.
 */
const REFUSED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["post", "Post", "pOST", "get", "patch", "delete", "propfind"].map((method) => [
      `the method ${method}`,
      lines(`${method} /`, `Host: ${HOST}`),
    ]),
  ),
  "an upgrade with a lowercase method": lines(
    "get /",
    `Host: ${HOST}`,
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ),
  "userinfo before the host": lines("GET /", `Host: user@${HOST}`),
  "a path after the host": lines("GET /", `Host: ${HOST}/admin`),
  "two hosts": to("/", "Host: other.test"),
  "the same host twice": to("/", `Host: ${HOST}`),
  "a length and a transfer coding": lines(
    "POST /",
    `Host: ${HOST}`,
    "Content-Length: 2",
    "Transfer-Encoding: chunked",
  ) + "2\r\nok\r\n0\r\n\r\n",
};

/**
 * A request whose length and transfer coding disagree about the end of the body, followed by
 * another request (RFC 9112, 6.1).
 */
const CODING_FIRST = [
  "POST / HTTP/1.1",
  `Host: ${HOST}`,
  "Transfer-Encoding: chunked",
  "Content-Length: 3",
  "",
  "2\r\nok\r\n0\r\n",
  "GET /next HTTP/1.1",
  `Host: ${HOST}`,
  "",
  "",
].join("\r\n");

async function exchange(port: number, text: string): Promise<string> {
  using conn = await Deno.connect({ hostname: "127.0.0.1", port });
  await conn.write(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  let answer = "";
  for await (const chunk of conn.readable.values({ preventCancel: true })) {
    answer += new TextDecoder("latin1").decode(chunk);
    // An upgraded connection stays open, but the only message on it has arrived.
    if (/^HTTP\/1.1 101 [^]*\r\n\r\n[^]*\}$/.test(answer)) break;
  }
  return answer;
}

/** Returns the response headers that rules have added. */
const sawIn = (head: string) =>
  [...head.matchAll(/^(x-saw-[a-z-]+): yes\r?$/gim)].map(([, name]) => name!.toLowerCase()).sort();

const wantedOf = (seen: Seen) =>
  Object.entries(PROBES).filter(([, { holds }]) => holds(seen)).map(([name]) => name).sort();

/** Decodes UTF-8 that is given with one character per byte. */
const textOf = (bytes: string) => Buffer.from(bytes, "latin1").toString();

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

const withEcho = (run: (platform: TestPlatform) => Promise<void>) =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployServer(platform, "shop", {
      server: ECHO,
      engine: "node",
      rules: RULES,
      manifest: {
        version: 1,
        layers: LAYERS,
        routes: [{ pattern: "^/.*$", layer: "app" }],
      },
    });
    await run(platform);
  });

Deno.test("rules and servers see the same request", async (t) => {
  await withEcho(async (platform) => {
    for (const [name, text] of Object.entries(ANSWERED)) {
      await t.step(name, async () => {
        const answer = await exchange(platform.port, text);
        assert.equal(statusOf(answer), 200, answer);
        const [head, body] = answer.split("\r\n\r\n");
        const seen: Seen = JSON.parse(textOf(/\{.*\}/.exec(body!)![0]));
        assert.deepEqual(sawIn(head!), wantedOf(seen), JSON.stringify(seen));
        if (text.endsWith("\r\n\r\n") === false) assert.equal(seen.body, "ok");
      });
    }
    for (const [name, text] of Object.entries(REFUSED)) {
      await t.step(`${name} is refused`, async () => {
        const answer = await exchange(platform.port, text);
        assert.equal(statusOf(answer), 400, answer);
        assert.match(answer, /^connection: close\r$/im);
      });
    }
    await t.step("a Content-Length after a Transfer-Encoding ends the connection", async () => {
      const answer = await exchange(platform.port, CODING_FIRST);
      assert.equal(answer.match(/^HTTP\/1\.1 /gm)?.length, 1, answer);
      assert.match(answer, /^connection: close\r$/im);
    });
    await t.step("rules and servers see the same upgrade to a WebSocket", async () => {
      const answer = await exchange(
        platform.port,
        [
          "GET /x/%2e%2e/admin?role=admin HTTP/1.1",
          `Host: ${HOST}`,
          "X-Role: admin",
          "X-Real-IP: 10.0.0.1",
          "Cookie: role=admin",
          "Connection: Upgrade",
          "Upgrade: websocket",
          "Sec-WebSocket-Version: 13",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
          "",
          "",
        ].join("\r\n"),
      );
      assert.equal(statusOf(answer), 101, answer);
      const seen: Seen = JSON.parse(answer.slice(answer.indexOf("{")));
      assert.deepEqual(sawIn(answer.split("\r\n\r\n")[0]!), wantedOf(seen), JSON.stringify(seen));
    });
    await t.step("HTTP/2 requests", () => checkHttp2(platform.port));
    await t.step("the API refuses the same malformed requests", async () => {
      for (
        const text of [
          lines("get /v1/health", "Host: localhost"),
          lines("GET /v1/health", "Host: localhost", "Host: other.test"),
        ]
      ) assert.equal(statusOf(await exchange(platform.port, text)), 400, text);
    });
  });
});

async function checkHttp2(port: number): Promise<void> {
  const session = connect(`http://127.0.0.1:${port}`);
  const ask = (fields: Record<string, string | string[]>) =>
    new Promise<{ headers: Record<string, unknown>; text: string }>((resolve, reject) => {
      const stream = session.request({ ":authority": HOST, ...fields });
      let [headers, text]: [Record<string, unknown>, string] = [{}, ""];
      stream.setEncoding("utf8");
      stream.on("response", (given) => headers = given);
      stream.on("data", (chunk) => text += chunk);
      stream.on("end", () => resolve({ headers, text }));
      stream.on("error", reject);
      stream.end();
    });
  try {
    const rows: readonly Record<string, string | string[]>[] = [
      { ":path": "/x/../admin?role=admin", "x-role": "admin" },
      { ":path": "/", "cookie": ["a=b", "role=admin"], "x-role": ["user", "admin"] },
      { ":path": "/", ":authority": "SHOP.localhost:99" },
      { ":path": "/", "x-real-ip": "10.0.0.1", "cf-ipcountry": "DE" },
      { ":path": "/", ":method": "POST" },
    ];
    for (const row of rows) {
      const { headers, text } = await ask(row);
      assert.equal(headers[":status"], 200, text);
      const seen: Seen = JSON.parse(text);
      const saw = Object.keys(headers).filter((name) => name.startsWith("x-saw-")).sort();
      assert.deepEqual(saw, wantedOf(seen), JSON.stringify({ row, seen }));
    }
    for (const method of ["post", "Post", "get"]) {
      const { headers } = await ask({ ":path": "/", ":method": method });
      assert.equal(headers[":status"], 400, method);
    }
  } finally {
    session.close();
  }
}
