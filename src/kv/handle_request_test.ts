import assert from "node:assert/strict";
import { createKvHandler } from "./handle_request.ts";
import { KvStore } from "./kv_store.ts";
import { MAX_VALUE_BYTES } from "../lib/kv_limits.ts";
import { DenoStore } from "../store/mod.ts";

type Ask = (
  method: string,
  path: string,
  more?: { readonly body?: BodyInit; readonly headers?: Record<string, string> },
) => Promise<Response>;

async function withApi(test: (ask: Ask) => Promise<void>): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  const handle = createKvHandler({
    store: new KvStore({ kv, root: ["user_kv"] }),
    ownerOf: (token) => token === "good" ? "ada" : undefined,
    namespaceOf: () => ["harbour", "production"],
    onTrouble: (message) => assert.fail(message),
  });
  try {
    await test((method, path, { body, headers } = {}) =>
      handle(
        new Request(`http://127.0.0.1${path}`, {
          method,
          headers: { authorization: "Bearer good", ...headers },
          ...(body === undefined ? {} : { body }),
        }),
      )
    );
  } finally {
    kv.close();
  }
}

Deno.test("a value can be set, read, replaced with a version check, and removed", () =>
  withApi(async (ask) => {
    const path = `/v1/value?key=${encodeURIComponent("boats/../Kestrel ⛵")}`;
    assert.equal((await ask("GET", path)).status, 404);
    const set = await ask("PUT", path, {
      body: '{"feet":40}',
      headers: { "content-type": "application/json", "if-none-match": "*" },
    });
    assert.equal(set.status, 204);
    const got = await ask("GET", path);
    assert.equal(got.headers.get("content-type"), "application/json");
    assert.equal(got.headers.get("etag"), set.headers.get("etag"));
    assert.deepEqual(await got.json(), { feet: 40 });
    const again = await ask("PUT", path, { body: "x", headers: { "if-none-match": "*" } });
    assert.equal(again.status, 412);
    const match = { "if-match": set.headers.get("etag") ?? "" };
    assert.equal((await ask("PUT", path, { body: "y", headers: match })).status, 204);
    assert.equal((await ask("PUT", path, { body: "z", headers: match })).status, 412);
    assert.equal((await ask("DELETE", path, { headers: match })).status, 412);
    assert.equal((await ask("DELETE", path)).status, 204);
    assert.equal((await ask("GET", path)).status, 404);
  }));

Deno.test("keys are listed page by page, and cleared by prefix", () =>
  withApi(async (ask) => {
    for (const key of ["a:1", "a:2", "a:é", "b:1"]) {
      await ask("PUT", `/v1/value?key=${encodeURIComponent(key)}&ttl=60`, { body: key });
    }
    const first = await (await ask("GET", "/v1/values?prefix=a:&limit=2")).json();
    assert.deepEqual(first.items.map(({ key }: { key: string }) => key), ["a:1", "a:2"]);
    assert.ok(first.items[0].expiresAt > Date.now());
    const next = await (await ask("GET", `/v1/values?prefix=a:&cursor=${first.cursor}`)).json();
    assert.deepEqual(next.items.map(({ key }: { key: string }) => key), ["a:é"]);
    assert.equal(next.cursor, null);
    assert.deepEqual(await (await ask("DELETE", "/v1/values?prefix=a:")).json(), { removed: 3 });
  }));

Deno.test("invalid requests are refused with advice", () =>
  withApi(async (ask) => {
    const bad: readonly [string, string, number, RegExp, Record<string, string>?][] = [
      ["GET", "/v1/value", 400, /key: Add a key of 1 to 512 bytes to the query/],
      ["GET", "/v1/value?key=", 400, /1 to 512 bytes/],
      ["GET", `/v1/value?key=${"k".repeat(513)}`, 400, /512 bytes/],
      ["GET", "/v1/value?key=a&key=b", 400, /Pass "key" only once/],
      ["GET", "/v1/value?key=a&other=b", 400, /Unrecognized key/],
      ["PUT", "/v1/value?key=a&ttl=0", 400, /ttl: Use a whole number of seconds/],
      ["PUT", "/v1/value?key=a&ttl=1e3", 400, /ttl: Use a whole number/],
      ["PUT", "/v1/value?key=a", 400, /ETag from an earlier response/, { "if-match": "abc" }],
      ["PUT", "/v1/value?key=a", 400, /If-None-Match: \*/, { "if-none-match": '"a"' }],
      ["GET", "/v1/values?limit=1001", 400, /limit: Use a whole number from 1 to 1000/],
      ["GET", "/v1/values?cursor=%ff", 400, /cursor: Use the cursor/],
      ["POST", "/v1/value?key=a", 405, /Use GET, HEAD, PUT or DELETE/],
      ["GET", "/other", 404, /Use \/v1\/value/],
      ["GET", "/v1/value?key=a", 401, /SVC_KV_TOKEN/, { authorization: "Bearer bad" }],
      ["GET", "/v1/value?key=a", 401, /SVC_KV_TOKEN/, { authorization: "" }],
    ];
    for (const [method, path, status, message, headers = {}] of bad) {
      const answer = await ask(method, path, {
        headers,
        ...(method === "GET" ? {} : { body: "x" }),
      });
      const { error } = await answer.json();
      assert.equal(answer.status, status, `${method} ${path}: ${error}`);
      assert.match(error, message);
    }
    const large = await ask("PUT", "/v1/value?key=a", {
      body: new Uint8Array(MAX_VALUE_BYTES + 1),
    });
    assert.equal(large.status, 413);
  }));
