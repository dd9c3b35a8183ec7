import assert from "node:assert/strict";
import { addField, findListKey, hasField } from "./raw_fields.ts";

for (const [name, key] of [["array", findListKey()], ["methods", undefined]] as const) {
  Deno.test(`hasField() finds names in any case, by the ${name} of Headers`, () => {
    const given = { headers: { "Content-Type": "text/html", "x-long-name": "1" } };
    const all = [new Response("", given), new Request("http://a.test/", given)];
    for (const { headers } of all) {
      assert.equal(hasField(headers, "content-type", key), true);
      assert.equal(hasField(headers, "x-long-name", key), true);
      assert.equal(hasField(headers, "content-tape", key), false);
      assert.equal(hasField(headers, "content", key), false);
    }
  });

  Deno.test(`addField() adds what the answer then has, by the ${name} of Headers`, () => {
    const { headers } = new Response("text");
    addField(headers, ["content-encoding", "identity"], key);
    assert.equal(headers.get("content-encoding"), "identity");
    assert.equal(hasField(headers, "content-encoding", key), true);
  });
}

Deno.test("this runtime keeps the fields of Headers in an array", () => {
  assert.notEqual(findListKey(), undefined);
});

Deno.test("hasField() finds the fields of a request that came over a socket", async () => {
  const found = Promise.withResolvers<readonly boolean[]>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ headers }) => {
    found.resolve(["x-own", "x-other"].map((name) => hasField(headers, name)));
    return new Response();
  });
  const answer = await fetch(`http://127.0.0.1:${server.addr.port}/`, {
    headers: { "X-Own": "1" },
  });
  await answer.body?.cancel();
  assert.deepEqual(await found.promise, [true, false]);
  await server.shutdown();
});
