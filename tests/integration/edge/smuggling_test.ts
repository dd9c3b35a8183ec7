/**
 * Tries to smuggle requests through the proxy. For each request that a client sends on a raw
 * socket, the upstream must receive either one well-formed request or none.
 */
import assert from "node:assert/strict";
import { type Machinery, openMachinery, proxyTo, publish } from "../../helpers/upstreams.ts";
import { createProject } from "../../helpers/platform.ts";

const HOST = "shop.localhost";
const encode = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

/** Starts an upstream that records all data that it receives, and responds to each read. */
function recorder(machinery: Machinery) {
  let received = "";
  const { url } = machinery.listen(async (conn) => {
    const buffer = new Uint8Array(65_536);
    for (;;) {
      const count = await conn.read(buffer);
      if (count === null) return;
      received += new TextDecoder("latin1").decode(buffer.subarray(0, count));
      if (/\r\n\r\n/.test(received)) {
        await conn.write(encode("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
      }
    }
  });
  return { url, received: () => received, forget: () => received = "" };
}

/**
 * Maximum time until a response starts on a busy machine, and length of the pause that marks the
 * end of a response, in milliseconds.
 */
const FIRST_MS = 10_000;
const QUIET_MS = 1_000;

/**
 * Sends raw bytes. Returns the response once the platform stops sending or closes the connection.
 */
async function talk(port: number, text: string): Promise<string> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port });
  await conn.write(encode(text));
  let told = "";
  const buffer = new Uint8Array(65_536);
  for (;;) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const quiet = new Promise<null>((resolve) =>
      timer = setTimeout(() => resolve(null), told === "" ? FIRST_MS : QUIET_MS)
    );
    const reading = conn.read(buffer).catch(() => null);
    const count = await Promise.race([reading, quiet]);
    clearTimeout(timer);
    if (count === null) {
      conn.close();
      await reading;
      return told;
    }
    told += new TextDecoder("latin1").decode(buffer.subarray(0, count));
  }
}

const head = (...lines: string[]) =>
  [`POST /up/a HTTP/1.1`, `Host: ${HOST}`, ...lines, "", ""].join("\r\n");
const EVIL = `GET /up/evil HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;

const ATTACKS: readonly (readonly [name: string, text: string])[] = [
  [
    "CL.TE",
    head(`Content-Length: ${5 + EVIL.length}`, "Transfer-Encoding: chunked") + `0\r\n\r\n${EVIL}`,
  ],
  ["TE.CL", head("Content-Length: 4", "Transfer-Encoding: chunked") + `5\r\nhello\r\n0\r\n\r\n`],
  ["two lengths", head("Content-Length: 0", `Content-Length: ${EVIL.length}`) + EVIL],
  ["a list of lengths", head(`Content-Length: 0, ${EVIL.length}`) + EVIL],
  ["a signed length", head(`Content-Length: +${EVIL.length}`) + EVIL],
  ["TE with a vertical tab", head("Transfer-Encoding: \x0bchunked") + `0\r\n\r\n${EVIL}`],
  ["TE with chunked not last", head("Transfer-Encoding: chunked, identity") + `0\r\n\r\n${EVIL}`],
  ["TE twice", head("Transfer-Encoding: chunked", "Transfer-Encoding: identity") + `0\r\n\r\n`],
  ["a space before the colon", head(`Content-Length : ${EVIL.length}`) + EVIL],
  ["a folded field", head("X-A: b", ` Content-Length: ${EVIL.length}`) + EVIL],
  [
    "a chunk length that overflows",
    head("Transfer-Encoding: chunked") + `1${"0".repeat(17)}\r\nx\r\n0\r\n\r\n`,
  ],
  [
    "a chunk extension with a line feed",
    head("Transfer-Encoding: chunked") + `2;\nxx\r\nok\r\n0\r\n\r\n`,
  ],
  ["a bare CR in a value", head("X-A: b\rTransfer-Encoding: chunked") + EVIL],
  ["a bare LF head", `POST /up/a HTTP/1.1\nHost: ${HOST}\nContent-Length: 0\n\n`],
  [
    "encoded line breaks in the path",
    `GET /up/a%0d%0aX-Evil:%201 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`,
  ],
  [
    "Connection names Content-Length",
    head("Connection: content-length", "Content-Length: 5") + "hello",
  ],
  ["Connection names Host", head("Connection: host", "Content-Length: 0")],
  [
    "a trailer that looks like headers",
    head("Transfer-Encoding: chunked", "Trailer: x-evil") + `0\r\nX-Evil: 1\r\nHost: evil\r\n\r\n`,
  ],
  [
    "Upgrade to h2c",
    head(
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABk",
      "Content-Length: 0",
    ),
  ],
  ["Expect", head("Expect: 100-continue", "Content-Length: 5") + "hello"],
];

/**
 * Parses a stream of requests strictly according to RFC 9112. Throws if the stream contains
 * anything else.
 */
function parseRequests(text: string): { target: string; fields: string[]; body: string }[] {
  const found = [];
  for (let rest = text; rest !== "";) {
    const end = rest.indexOf("\r\n\r\n");
    assert.ok(end > 0, `Not a complete head: ${JSON.stringify(rest)}`);
    const [line = "", ...fields] = rest.slice(0, end).split("\r\n");
    assert.match(line, /^[A-Z]+ \/[\x21-\x7e]* HTTP\/1\.1$/);
    for (const field of fields) assert.match(field, /^[!#$%&'*+.^_`|~0-9a-z-]+: [\t\x20-\xff]*$/i);
    const values = (name: string) =>
      fields.filter((field) => field.toLowerCase().startsWith(`${name}:`));
    const [lengths, codings] = [values("content-length"), values("transfer-encoding")];
    assert.ok(lengths.length + codings.length <= 1, "the forwarded request has only one framing");
    assert.equal(values("host").length, 1);
    rest = rest.slice(end + 4);
    let body = "";
    if (lengths.length === 1) {
      const length = Number(lengths[0]!.split(":")[1]);
      body = rest.slice(0, length);
      rest = rest.slice(length);
    } else if (codings.length === 1) {
      for (;;) {
        const size = /^([0-9a-f]+)\r\n/i.exec(rest);
        if (size === null) return found;
        const length = parseInt(size[1]!, 16);
        body += rest.slice(size[0].length, size[0].length + length);
        rest = rest.slice(size[0].length + length + 2);
        if (length === 0) break;
      }
    }
    found.push({ target: line.split(" ")[1]!, fields, body });
  }
  return found;
}

Deno.test("no request is smuggled through the proxy", async (t) => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  const upstream = recorder(machinery);
  await createProject(platform, "shop");
  await publish(platform, "shop", { rules: [proxyTo(upstream.url)] });
  for (const [name, text] of ATTACKS) {
    await t.step(name, async () => {
      upstream.forget();
      const told = await talk(platform.port, text);
      const statuses = [...told.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, code]) => Number(code))
        .filter((code) => code !== 100);
      const requests = parseRequests(upstream.received());
      const passed = statuses.filter((status) => status === 200).length;
      assert.ok(
        requests.length <= Math.max(passed, 1),
        `${requests.length} requests for ${passed} responses: ${upstream.received()}`,
      );
      for (const { fields, target } of requests) {
        assert.ok(
          !fields.some((field) => /^(?:x-evil|upgrade|http2-settings|te|expect):/i.test(field)),
        );
        assert.ok(fields.some((field) => /^host: localhost:\d+$/i.test(field)));
        if (target === "/evil") assert.equal(passed, 2, "a second request gets a second response");
      }
    });
  }
});

Deno.test("a body with a transfer coding other than chunked is not forwarded", async () => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  const upstream = recorder(machinery);
  await createProject(platform, "shop");
  await publish(platform, "shop", { rules: [proxyTo(upstream.url)] });
  const body = "5\r\nhello\r\n0\r\n\r\n";
  for (const coding of ["gzip, chunked", "chunked, chunked"]) {
    const told = await talk(platform.port, head(`Transfer-Encoding: ${coding}`) + body);
    assert.match(told, /^HTTP\/1\.1 400 [^]*\r\nconnection: close\r\n/i);
  }
  assert.equal(upstream.received(), "");
});

Deno.test("an upstream cannot respond twice or with two framings", async (t) => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  const answers = {
    "two framings":
      "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nok",
    "two lengths": "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 20\r\n\r\nok",
    "a second response":
      "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nEVIL",
    "a split field": "HTTP/1.1 200 OK\r\nx-a: b\rset-cookie: evil=1\r\ncontent-length: 2\r\n\r\nok",
    "a response that switches protocols":
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\nEVIL",
  };
  let answer = "";
  const { url } = machinery.listen(async (conn) => {
    const buffer = new Uint8Array(4096);
    while (await conn.read(buffer) !== null) await conn.write(encode(answer));
  });
  await createProject(platform, "shop");
  await publish(platform, "shop", { rules: [proxyTo(url)] });
  for (const [name, text] of Object.entries(answers)) {
    await t.step(name, async () => {
      answer = text;
      for (let round = 0; round < 2; round++) {
        const got = await platform.get("shop.localhost", "/up/x");
        assert.ok(got.status === 502 || got.text === "ok", `${got.status} ${got.text}`);
        assert.doesNotMatch(got.text, /EVIL/);
        assert.equal(got.headers["set-cookie"], undefined);
      }
    });
  }
});
