import assert from "node:assert/strict";
import {
  addField,
  addFieldsOf,
  allFieldsOf,
  fieldOf,
  findListKey,
  hasField,
  valueIn,
} from "./raw_fields.ts";
import { stopServer } from "./stop_server.ts";

for (const [name, key] of [["array", findListKey()], ["methods", undefined]] as const) {
  Deno.test(`hasField() finds names in any case, through the ${name} of Headers`, () => {
    const given = { headers: { "Content-Type": "text/html", "x-long-name": "1" } };
    const all = [new Response("", given), new Request("http://a.test/", given)];
    for (const { headers } of all) {
      assert.equal(hasField(headers, "content-type", key), true);
      assert.equal(hasField(headers, "x-long-name", key), true);
      assert.equal(hasField(headers, "content-tape", key), false);
      assert.equal(hasField(headers, "content", key), false);
    }
  });

  Deno.test(`fieldOf() returns the same as get(), through the ${name} of Headers`, () => {
    const headers = new Headers([["X-One", "1"], ["x-two", "a"], ["X-Two", "b"], ["x-none", ""]]);
    for (const wanted of ["x-one", "x-two", "x-none", "x-six", "x-on"]) {
      assert.equal(fieldOf(headers, wanted, key), headers.get(wanted));
    }
  });

  Deno.test(`addField() adds a field to a response, through the ${name} of Headers`, () => {
    const { headers } = new Response("text");
    addField(headers, ["content-encoding", "identity"], key);
    assert.equal(headers.get("content-encoding"), "identity");
    assert.equal(hasField(headers, "content-encoding", key), true);
  });

  Deno.test(`addFieldsOf() adds every line of every field, through the ${name} of Headers`, () => {
    const from = new Headers([["etag", '"1"'], ["set-cookie", "a=1"], ["set-cookie", "b=2"]]);
    const { headers } = new Response(new ReadableStream());
    addFieldsOf(from, headers, key);
    assert.deepEqual([...headers], [...from]);
  });
}

Deno.test("this runtime keeps the fields of Headers in an array", () => {
  assert.notEqual(findListKey(), undefined);
});

Deno.test("hasField() finds the fields of a request received over a socket", async () => {
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
  await stopServer(server);
});

Deno.test("allFieldsOf() reads the fields of a request received over a socket", async () => {
  const found = Promise.withResolvers<readonly (string | null)[][]>();
  const names = ["host", "x-own", "x-twice", "cookie", "x-other"];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const all = allFieldsOf(request);
    assert.notEqual(all, undefined);
    found.resolve(names.map((name) => [valueIn(all!, name), request.headers.get(name)]));
    return new Response();
  });
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
  const lines = ["Host: a.test", "X-Own: 1", "X-Twice: a", "x-twice: b", "Cookie: c=1; d=2"];
  await connection.write(
    new TextEncoder().encode(`GET / HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`),
  );
  const values = await found.promise;
  for (const [own, got] of values) assert.equal(own, got);
  assert.deepEqual(values.map(([own]) => own), ["a.test", "1", "a, b", "c=1; d=2", null]);
  await connection.read(new Uint8Array(1024));
  connection.close();
  await stopServer(server);
});
