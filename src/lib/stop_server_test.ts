import assert from "node:assert/strict";
import { stopServer } from "./stop_server.ts";

/** Sends one request after another until it is stopped. */
function keepBusy(url: string, signal: AbortSignal): Promise<void> {
  const ask = async (): Promise<void> => {
    while (!signal.aborted) {
      await fetch(url, { method: "POST", body: "{}" }).then((answer) => answer.text(), () => {});
    }
  };
  return Promise.all(Array.from({ length: 4 }, ask)).then(() => {});
}

Deno.test("stopServer() lets a request in progress finish", async () => {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<Response>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    begun.resolve();
    return end.promise;
  });
  const answer = fetch(`http://127.0.0.1:${server.addr.port}/`);
  await begun.promise;
  const stopped = stopServer(server);
  end.resolve(new Response("whole"));
  assert.equal(await (await answer).text(), "whole");
  await stopped;
});

Deno.test("stopServer() returns even if clients keep sending, or a request never ends", async () => {
  const answers: Record<string, () => Response | Promise<Response>> = {
    busy: () => Response.json({}),
    stuck: () => new Promise<Response>(() => {}),
  };
  for (const answer of Object.values(answers)) {
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
    const client = new AbortController();
    const url = `http://127.0.0.1:${server.addr.port}/`;
    if (answer === answers.busy) void keepBusy(url, client.signal);
    else fetch(url, { signal: client.signal }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    await stopServer(server);
    client.abort();
  }
});
