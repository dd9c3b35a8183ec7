import assert from "node:assert/strict";
import { Agent, get, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { createHostDispatch } from "../platform/core/http/mod.ts";
import { type Listeners, openListeners } from "./listeners.ts";

interface Asked {
  readonly answer: IncomingMessage;
  readonly socket: Socket;
}

function ask(port: number, path: string, agent: Agent): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const request = get({ host: "127.0.0.1", port, path, agent }, (answer) => {
      const { socket } = answer;
      answer.resume().once("end", () => resolve({ answer, socket }));
    }).once("error", reject);
    request.setTimeout(10_000, () => request.destroy(new Error("No answer")));
  });
}

async function open(): Promise<Listeners> {
  const listeners = await openListeners({
    ...{ host: "127.0.0.1", port: 0, httpsPort: undefined, connections: {}, trustProxy: [] },
    ...{ tls: undefined, ordersCertificates: false, takesOver: false },
  }, () => {});
  const answer = (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/redirect") return Response.redirect("http://127.0.0.1/", 302);
    return pathname === "/later" ? Promise.resolve(new Response("later")) : new Response("now");
  };
  const dispatch: ReturnType<typeof createHostDispatch> = { http: answer, https: answer };
  listeners.open(dispatch, undefined);
  return listeners;
}

for (const path of ["/now", "/later", "/redirect"]) {
  Deno.test(`a kept connection ends with its next answer when the platform leaves: ${path}`, async () => {
    const listeners = await open();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { port } = listeners;
    const first = await ask(port, path, agent);
    assert.notEqual(first.answer.headers.connection, "close");
    await listeners.leave();
    const ended = new Promise<void>((resolve) => first.socket.once("close", () => resolve()));
    const last = await ask(port, path, agent);
    assert.equal(last.socket, first.socket, "the connection was kept");
    assert.equal(last.answer.headers.connection, "close");
    assert.equal(last.answer.statusCode, first.answer.statusCode);
    await ended;
    const another = await ask(port, path, agent);
    assert.equal(another.answer.statusCode, first.answer.statusCode, "others may still come");
    agent.destroy();
    await listeners.close();
  });
}

Deno.test("a request that had arrived is answered when the platform stops", async () => {
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
