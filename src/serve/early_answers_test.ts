import assert from "node:assert/strict";
import type { ClientConnection } from "../platform/core/listener/mod.ts";
import { EarlyAnswers } from "./early_answers.ts";

const CONNECTION = { remoteAddress: "192.0.2.1", scheme: "http" } as ClientConnection;
const FOREVER = 2 ** 31 - 1;

const asked = (path: string) => new Request(`http://site.localhost${path}`);
const answer = () => new Response("here");
const DISPATCH: EarlyAnswers["dispatch"] = {
  http: answer,
  https: answer,
  own: answer,
};

async function answerOf(early: EarlyAnswers, path: string): Promise<string> {
  const response = await early.dispatch.http(asked(path), CONNECTION);
  return `${response.status} ${await response.text()}`;
}

Deno.test("a request that arrives before the platform is ready gets its response", async () => {
  const early = new EarlyAnswers(false, FOREVER);
  const waiting = answerOf(early, "/");
  early.open(DISPATCH, undefined);
  assert.equal(await waiting, "200 here");
});

Deno.test("probes get responses before the platform is ready", async () => {
  const early = new EarlyAnswers(false, FOREVER);
  assert.equal(await answerOf(early, "/healthz"), "200 ok\n");
  assert.equal(await answerOf(early, "/readyz"), "503 The platform is starting\n");
  early.close();
});

Deno.test("a request is refused if the platform does not start in time", async () => {
  const early = new EarlyAnswers(false, 1);
  const response = await early.dispatch.https(asked("/"), CONNECTION);
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("retry-after"), "1");
});

Deno.test("probes also wait if the platform takes over from a running platform", async () => {
  const early = new EarlyAnswers(true);
  const waiting = answerOf(early, "/readyz");
  early.open(DISPATCH, undefined);
  assert.equal(await waiting, "200 here");
});

Deno.test("requests are refused and handshakes fail if the start fails", async () => {
  const early = new EarlyAnswers(false, FOREVER);
  const waiting = answerOf(early, "/");
  const handshake = early.certificates.find("site.example");
  early.close();
  assert.equal(await waiting, "503 The platform is starting\n");
  await assert.rejects(async () => await handshake);
});
