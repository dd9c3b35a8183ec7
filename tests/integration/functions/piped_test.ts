/** Runs functions that create responses from a body while the body arrives. */
import assert from "node:assert/strict";
import type { Invocation } from "../../../src/runtime/mod.ts";
import { deployFunctions, invocation } from "../../helpers/function_host.ts";

const LAZILY = `
const lazily = (body) => {
  let reader;
  return new ReadableStream({
    async pull(controller) {
      reader ??= body.getReader();
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  }, { highWaterMark: 0 });
};
`;

/** Functions whose responses are created from the request's body, by description. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  piped: "export default (r) => new Response(r.body.pipeThrough(new TransformStream()))",
  piped_later:
    "export default async (r) => { await null; return new Response(r.body.pipeThrough(new TransformStream())) }",
  lazy: `${LAZILY} export default (r) => new Response(lazily(r.body))`,
  next_request: `${LAZILY} export default (r) => new Request(r, { body: lazily(r.body) })`,
  piped_response:
    "export default (r, { response }) => new Response(response.body.pipeThrough(new TransformStream()))",
  lazy_response:
    `${LAZILY} export default (r, { response }) => new Response(lazily(response.body))`,
};

const modeOf = (name: string): Invocation["mode"] =>
  name.endsWith("_response") ? "response" : name === "next_request" ? "request" : "handle";

Deno.test("a response based on the request body is streamed while the body arrives", async (t) => {
  const functions = Object.entries(FUNCTIONS).map(([name, source]) => ({ name, source }));
  await using deployment = await deployFunctions({ functions });
  const { host, log } = deployment;
  assert.deepEqual(await host.start(), []);
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  for (const name of Object.keys(FUNCTIONS)) {
    await t.step(name, async () => {
      const mode = modeOf(name);
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      void writer.write(encoder.encode("first "));
      const given = mode === "response"
        ? { response: { status: 200, headers: [], body: readable } }
        : { method: "POST", body: readable };
      const result = await host.invoke(invocation("/", { ...given, function: name, mode }));
      const body = result.type === "response"
        ? result.response.body
        : result.type === "request"
        ? result.request.body
        : null;
      assert.ok(body !== null, JSON.stringify(result));
      const reader = body.getReader();
      assert.equal(decoder.decode((await reader.read()).value), "first ");
      void writer.write(encoder.encode("second")).then(() => writer.close());
      assert.equal(decoder.decode((await reader.read()).value), "second");
      assert.equal((await reader.read()).done, true);
    });
  }
  assert.deepEqual(log, []);
});
