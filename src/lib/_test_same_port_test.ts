import assert from "node:assert/strict";
import { onUnusedPort } from "./_test_same_port.ts";

Deno.test("onUnusedPort() uses another port if the first is taken", async () => {
  const tried: number[] = [];
  using listener = await onUnusedPort((port) => {
    using _quicker = tried.push(port) === 1 ? Deno.listen({ port }) : undefined;
    return Promise.try(() => Deno.listen({ port }));
  });
  assert.equal(tried.length, 2);
  assert.equal(listener.addr.port, tried[1]);
  await assert.rejects(onUnusedPort(() => Promise.reject(new TypeError("no"))), /no/);
});
