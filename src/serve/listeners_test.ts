import assert from "node:assert/strict";
import type { createHostDispatch } from "../platform/core/http/mod.ts";
import { type Listeners, openListeners } from "./listeners.ts";
import { DEFAULTS } from "../settings/mod.ts";

const WAIT_MS = 10_000;

/** Opens a client that keeps its connection open and fails if a response takes too long. */
async function openClient(port: number) {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port });
  const timer = setTimeout(() => conn.close(), WAIT_MS);
  const buffer = new Uint8Array(4096);
  return {
    /** Sends a request and reads until the response is complete or the connection closes. */
    async ask(path: string, isAnswered: (answer: string) => boolean): Promise<string> {
      await conn.write(new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`));
      let answer = "";
      while (!isAnswered(answer)) {
        const count = await conn.read(buffer);
        if (count === null) break;
        answer += new TextDecoder().decode(buffer.subarray(0, count));
      }
      return answer;
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      conn.close();
    },
  };
}

async function open(): Promise<Listeners> {
  const listeners = await openListeners({
    host: "127.0.0.1",
    port: 0,
    httpsPort: 0,
    connections: DEFAULTS.connections,
    trustProxy: [],
    tls: undefined,
    ordersCertificates: false,
    takesOver: false,
  }, () => {});
  const answer = (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/redirect") return Response.redirect("http://127.0.0.1/", 302);
    return pathname === "/later" ? Promise.resolve(new Response("later")) : new Response("now");
  };
  const dispatch: ReturnType<typeof createHostDispatch> = {
    http: answer,
    https: answer,
    own: answer,
  };
  listeners.open(dispatch, undefined);
  return listeners;
}

const answers = [
  ["/now", /^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nnow$/s],
  ["/later", /^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nlater$/s],
  ["/redirect", /^HTTP\/1\.1 302 Found\r\n.*\r\n\r\n$/s],
] as const;

for (const [path, expected] of answers) {
  Deno.test(`a connection closes after one more response if the platform stops: ${path}`, async () => {
    const listeners = await open();
    const isWhole = (answer: string) => expected.test(answer);
    {
      using client = await openClient(listeners.port);
      assert.doesNotMatch(await client.ask(path, isWhole), /^connection:/im);
      await listeners.leave();
      const last = await client.ask(path, () => false);
      assert.match(last, /^connection: close\r$/im);
      assert.match(last, expected);
    }
    {
      using another = await openClient(listeners.port);
      assert.match(await another.ask(path, isWhole), expected, "new clients are accepted");
    }
    await listeners.close();
  });
}

Deno.test("a request that arrived before the platform stops gets a response", async () => {
  const listeners = await open();
  using client = await Deno.connect({ hostname: "127.0.0.1", port: listeners.port });
  const sent = client.write(
    new TextEncoder().encode("GET /now HTTP/1.1\r\nHost: a.test\r\n\r\n"),
  );
  const closing = listeners.close();
  const answer = await new Response(client.readable).text();
  assert.match(answer, /^HTTP\/1\.1 200 .*connection: close.*now$/s);
  await Promise.all([sent, closing]);
});
