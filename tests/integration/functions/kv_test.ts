/**
 * Tests `context.kv` for functions on a real platform: the operations, and the values that
 * functions can access.
 */
import assert from "node:assert/strict";
import {
  createProject,
  rawRequest,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { publish, rule } from "../../helpers/upstreams.ts";

/** A function that calls the `context.kv` method in the request, with the arguments in the body. */
const STORE = `export default async (request, { kv }) => {
  const { method, args } = await request.json();
  if (method === "bytes") {
    await kv.set("bytes", new Uint8Array([0, 255]));
    return Response.json([...await kv.get("bytes")]);
  }
  try {
    const result = await kv[method](...args);
    return Response.json(result === undefined ? "undefined" : result);
  } catch (error) {
    return Response.json({ threw: String(error) });
  }
};`;

const publishStore = (platform: TestPlatform, project: string, version: string) =>
  publish(platform, project, {
    files: { "index.html": version },
    functions: { store: STORE },
    rules: [rule("store", { type: "pipeline", steps: [{ handle: "store" }] }, "/kv")],
  });

/** Returns a function that calls the store's methods through a project's function. */
function storeOf(platform: TestPlatform, project: string) {
  return async (method: string, ...args: unknown[]) => {
    const { status, text } = await rawRequest(platform.port, {
      method: "POST",
      host: `${project}.localhost`,
      path: "/kv",
      body: JSON.stringify({ method, args }),
    });
    assert.equal(status, 200, text);
    return JSON.parse(text);
  };
}

Deno.test("a function reads, sets, lists and removes values as text, JSON and bytes", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await publishStore(platform, "shop", "1");
    const store = storeOf(platform, "shop");
    assert.equal(await store("get", "boat"), "undefined");
    for (const value of ["Kestrel", "", { feet: 40, sails: ["main"] }, 5, null, true, "5"]) {
      await store("set", "boat", value);
      assert.deepEqual(await store("get", "boat"), value);
    }
    assert.deepEqual(await store("bytes"), [0, 255]);
    const large = "é".repeat(200_000);
    await store("set", "large", large);
    assert.equal(await store("get", "large"), large);

    const version = await store("set", "boat", "a", {
      ifVersion: (await store("getEntry", "boat")).version,
    });
    assert.equal(
      await store("set", "boat", "b", { ifVersion: "00000000000000000001" }),
      "undefined",
    );
    assert.equal(await store("set", "boat", "b", { ifVersion: null }), "undefined");
    assert.equal(await store("remove", "boat", { ifVersion: "00000000000000000001" }), false);
    assert.deepEqual(await store("getEntry", "boat"), { value: "a", version });
    assert.equal(await store("remove", "boat", { ifVersion: version }), true);
    assert.equal(await store("remove", "boat"), true);

    await store("set", "session", "x", { ttl: 60 });
    const { expiresAt } = await store("getEntry", "session");
    assert.ok(expiresAt > Date.now());
    const first = await store("list", { limit: 1 });
    assert.deepEqual(first.items.map(({ key }: { key: string }) => key), ["bytes"]);
    const rest = await store("list", { cursor: first.cursor });
    assert.deepEqual(
      rest.items.map(({ key, size }: { key: string; size: number }) => [key, size]),
      [["large", 400_000], ["session", 1]],
    );
    assert.equal(await store("clear", "s"), 1);
    assert.equal(await store("clear"), 2);
    assert.deepEqual(await store("list", { prefix: "" }), { items: [], cursor: null });
  }));

Deno.test("the store refuses a value with a reason, and the function continues", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await publishStore(platform, "shop", "1");
    const store = storeOf(platform, "shop");
    for (
      const [args, message] of [
        [["set", "", "x"], /context\.kv: key: Add a key/],
        [["get", "x".repeat(513)], /1 to 512 bytes/],
        [["set", "a", "x", { ttl: 0 }], /ttl: Use a whole number of seconds/],
        [["set", "a", "x".repeat(512 * 1024 + 1)], /at most 524288 bytes/],
        [["set", "a"], /JSON cannot represent a undefined/],
        [["list", { limit: 1001 }], /whole number from 1 to 1000/],
      ] as const
    ) {
      const [method, ...rest] = args;
      assert.match((await store(method, ...rest)).threw, message);
    }
    assert.equal(await store("get", "a"), "undefined");
  }));

Deno.test("functions share a store across their environment's deployments, but not with other projects", () =>
  withPlatform(async (platform) => {
    for (const project of ["shop", "harbour"]) {
      await createProject(platform, project);
      await publishStore(platform, project, "1");
    }
    const [shop, harbour] = [storeOf(platform, "shop"), storeOf(platform, "harbour")];
    await shop("set", "boat", "Kestrel");
    assert.equal(await harbour("get", "boat"), "undefined");
    await publishStore(platform, "shop", "2");
    assert.equal(await shop("get", "boat"), "Kestrel");
    await platform.api("DELETE", "/v1/projects/shop");
    await createProject(platform, "shop");
    await publishStore(platform, "shop", "1");
    assert.deepEqual(await shop("list"), { items: [], cursor: null });
  }));
