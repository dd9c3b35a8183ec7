import assert from "node:assert/strict";
import { createStorage, type Driver } from "unstorage";
import { keepAstroSessions, keepNitroStorage, STORAGE_DRIVER } from "./kv_storage.ts";
import { stopServer } from "../../lib/stop_server.ts";

/** Serves an in-memory store through the HTTP API that the driver uses (docs/kv.md). */
function serveStore(): { readonly url: string; stop(): Promise<void> } {
  const values = new Map<string, Uint8Array<ArrayBuffer>>();
  const handle = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    if (request.headers.get("authorization") !== "Bearer secret") {
      return Response.json({ error: "Unknown token" }, { status: 401 });
    }
    const [key, prefix] = [searchParams.get("key") ?? "", searchParams.get("prefix") ?? ""];
    if (pathname === "/v1/values") {
      const keys = [...values.keys()].filter((name) => name.startsWith(prefix)).sort();
      if (request.method === "DELETE") { for (const name of keys) values.delete(name); }
      const after = searchParams.get("cursor") ?? "";
      const [name] = keys.filter((name) => name > after);
      return Response.json({
        items: name === undefined ? [] : [{ key: name }],
        cursor: name === undefined ? null : name,
      });
    }
    if (request.method === "PUT") {
      values.set(key, new Uint8Array(await request.arrayBuffer()));
      return new Response(null, { status: 204 });
    }
    if (request.method === "DELETE") {
      return new Response(null, { status: 204, ...values.delete(key) && {} });
    }
    const value = values.get(key);
    return value === undefined ? new Response("none", { status: 404 }) : new Response(value);
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handle);
  return { url: `http://127.0.0.1:${server.addr.port}`, stop: () => stopServer(server) };
}

type MakeDriver = (prefix: string, ttlSeconds?: number) => Driver | undefined;

/** Returns the driver that the code defines in a server with these environment variables. */
function driverWith(env: Readonly<Record<string, string>>): MakeDriver {
  const make = new Function("process", `${STORAGE_DRIVER}\nreturn __svcStorage;`);
  return make({ env });
}

Deno.test("unstorage stores values of each kind in the project's store", async () => {
  const store = serveStore();
  try {
    const driver = driverWith({ SVC_KV_URL: store.url, SVC_KV_TOKEN: "secret" })("nitro:");
    assert.ok(driver !== undefined);
    const storage = createStorage({ driver });
    await storage.setItem("boats:kestrel", { feet: 40 });
    await storage.setItem("boats:heron", "text");
    await storage.setItemRaw("picture", new Uint8Array([0, 255, 128]));
    assert.deepEqual(await storage.getItem("boats:kestrel"), { feet: 40 });
    assert.equal(await storage.getItem("boats:gone"), null);
    assert.deepEqual(await storage.getItemRaw("picture"), new Uint8Array([0, 255, 128]));
    assert.equal(await storage.hasItem("picture"), true);
    assert.deepEqual((await storage.getKeys("boats")).sort(), ["boats:heron", "boats:kestrel"]);
    await storage.removeItem("boats:heron");
    assert.equal(await storage.hasItem("boats:heron"), false);
    await storage.clear();
    assert.deepEqual(await storage.getKeys(), []);
  } finally {
    await store.stop();
  }
});

Deno.test("STORAGE_DRIVER needs a store, and reports its errors", async () => {
  assert.equal(driverWith({})("nitro:"), undefined);
  const store = serveStore();
  try {
    const driver = driverWith({ SVC_KV_URL: store.url, SVC_KV_TOKEN: "wrong" })("nitro:");
    await assert.rejects(
      async () => await driver?.getItem("a"),
      /The key-value store responded with 401: Unknown token/,
    );
  } finally {
    await store.stop();
  }
});

Deno.test("keepNitroStorage() replaces only Nitro's default storage", () => {
  const own = `storage.mount('data', fsLite({"driver":"fsLite","base":"./.data/kv"}));`;
  assert.match(
    keepNitroStorage(own) ?? "",
    /^storage\.mount\('data', __svcStorage\("nitro:"\) \?\? fsLite\(\{.*\}\)\);\n/,
  );
  assert.ok(keepNitroStorage(`e.mount("data",t({driver:"fsLite",base:"./.data/kv"}))`));
  for (
    const other of [
      `storage.mount('data', fsLite({"driver":"fs-lite","base":"/var/data"}));`,
      `storage.mount('data', redis({"driver":"redis"}));`,
    ]
  ) assert.equal(keepNitroStorage(other), undefined, other);
});

Deno.test("keepAstroSessions() replaces only Astro's default session storage", () => {
  const module = (driver: string) =>
    `import _default from "unstorage/drivers/${driver}";\n` +
    "var _driver = _default;\nexport { _driver as default };\n";
  assert.match(
    keepAstroSessions(module("fs-lite")) ?? "",
    /__svcStorage\("astro-session:", 2592000\) \?\? _driver\(options\);\nexport \{ __svcSessions as default \};/,
  );
  assert.equal(keepAstroSessions(module("redis")), undefined);
});
