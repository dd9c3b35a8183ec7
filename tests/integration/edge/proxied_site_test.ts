/**
 * Tests caching, proxying, limits and functions over HTTP, with real servers behind the platform.
 */
import assert from "node:assert/strict";
import {
  functionProcesses,
  openMachinery,
  proxyTo,
  publish,
  rule,
} from "../../helpers/upstreams.ts";
import { createProject, rawRequest } from "../../helpers/platform.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { unusedPort } from "../../../src/lib/unused_port.ts";

const HOST = "shop.localhost";
const cacheRule = rule("cache", { type: "cache", ttlSeconds: 60 });

Deno.test("a site is proxied and cached until a purge, a deployment or a rollback", async (t) => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  let count = 0;
  const seen: Headers[] = [];
  const { url } = machinery.serve(async (request) => {
    count++;
    seen.push(request.headers);
    const { pathname } = new URL(request.url);
    if (pathname === "/echo") return new Response(await request.text());
    if (pathname === "/huge") return new Response(new Uint8Array(5_000_000));
    return new Response(`${pathname} ${count}`, {
      headers: { "x-secret-hop": "1", connection: "x-secret-hop" },
    });
  });
  await createProject(platform, "shop");
  const rules = [proxyTo(url), cacheRule];
  const first = await publish(platform, "shop", { rules });
  const get = (path: string, headers: Record<string, string> = {}) =>
    platform.get(HOST, path, headers);
  const state = async (path: string) => (await get(path)).headers["x-svc-cache"];

  await t.step(
    "the edge requests the other site over TLS and tells it who the client is",
    async () => {
      const answer = await get("/up/a?x=1", { "x-forwarded-for": "6.6.6.6" });
      assert.equal(answer.status, 200);
      assert.match(answer.text, /^\/a \d+$/);
      assert.equal(seen[0]?.get("x-forwarded-for"), "127.0.0.1");
      assert.equal(seen[0]?.get("x-forwarded-host"), HOST);
      assert.match(seen[0]?.get("via") ?? "", /^1\.1 svc-/);
      assert.equal(answer.headers["x-secret-hop"], undefined);
      assert.match(String(answer.headers["x-svc-request-id"]), /./);
    },
  );

  await t.step("bodies pass through completely, in both directions", async () => {
    const body = "x".repeat(3_000_000);
    const answer = await rawRequest(platform.port, {
      method: "POST",
      host: HOST,
      path: "/up/echo",
      body,
    });
    assert.equal(answer.text, body);
    assert.equal((await get("/up/huge")).body.byteLength, 5_000_000);
  });

  await t.step(
    "responses are a MISS, then a HIT until a path, a prefix or everything is purged",
    async () => {
      assert.equal(await state("/up/p/1"), "MISS");
      assert.equal(await state("/up/p/1"), "HIT");
      await state("/up/q");
      const purge = (json: object) => platform.api("POST", "/v1/projects/shop/purge", { json });
      const path = await purge({ type: "path", path: "/up/p/1" });
      assert.deepEqual([path.status, path.json], [200, { purged: 1 }]);
      assert.deepEqual([await state("/up/p/1"), await state("/up/q")], ["MISS", "HIT"]);
      assert.deepEqual((await purge({ type: "prefix", prefix: "/up/p" })).json, { purged: 1 });
      assert.deepEqual([await state("/up/p/1"), await state("/up/q")], ["MISS", "HIT"]);
      assert.ok((await purge({ type: "all" })).json.purged >= 2);
      assert.equal(await state("/up/q"), "MISS");
      assert.equal((await purge({ type: "some" })).status, 400);
      const nobody = { json: { type: "all" }, token: null };
      assert.equal((await platform.api("POST", "/v1/projects/shop/purge", nobody)).status, 401);
    },
  );

  await t.step("an unsafe method removes its URL from the cache", async () => {
    await state("/up/q");
    await rawRequest(platform.port, { method: "DELETE", host: HOST, path: "/up/q" });
    assert.equal(await state("/up/q"), "MISS");
  });

  await t.step("deployments and rollbacks start with an empty cache", async () => {
    await state("/up/q");
    assert.equal(await state("/up/q"), "HIT");
    await publish(platform, "shop", { rules, files: { "index.html": "second" } });
    assert.equal(await state("/up/q"), "MISS");
    const back = await platform.api("POST", "/v1/projects/shop/rollback", { json: {} });
    assert.equal(back.json.deployment.id, first.id);
    assert.equal(await state("/up/q"), "MISS", "the first deployment's cached responses are gone");
  });
});

Deno.test("an upstream failure returns a 502 or 504, and only the log contains the details", async () => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  const garbage = machinery.listen(async (conn) => {
    await conn.read(new Uint8Array(4096));
    await conn.write(new TextEncoder().encode("SECRET-UPSTREAM-WORDS\r\n\r\n"));
  });
  await createProject(platform, "shop");
  await publish(platform, "shop", {
    rules: [
      proxyTo(garbage.url, "/garbage/"),
      proxyTo(`https://localhost:${unusedPort()}`, "/closed/"),
      proxyTo("https://no-such-name.invalid", "/nowhere/"),
    ],
  });
  for (const path of ["/garbage/", "/closed/", "/nowhere/"]) {
    const answer = await platform.get(HOST, path);
    assert.equal(answer.status, 502, path);
    assert.ok(answer.text.includes(String(answer.headers["x-svc-request-id"])));
    assert.doesNotMatch(answer.text, /SECRET|invalid|refused|127\.0\.0\.1/);
  }
  const logs = await platform.api("GET", "/v1/projects/shop/logs");
  const errors = logs.json.items.map((entry: { error?: string }) => entry.error);
  assert.match(errors[0], /^Cannot reach localhost:\d+: bad_response$/);
  assert.match(errors[1], /connect_failed$/);
  assert.match(errors[2], /dns_failed$/);
});

Deno.test("without the flag, rewrites and fetch cannot reach private addresses", async () => {
  await using machinery = await openMachinery({ allowPrivateUpstreams: false });
  const { platform } = machinery;
  let asked = 0;
  const { url } = machinery.serve(() => new Response(`inside ${++asked}`));
  await createProject(platform, "shop");
  await publish(platform, "shop", {
    functions: {
      ask: `export default async () => {
        const tries = [${JSON.stringify(url)}, "http://127.0.0.1:${platform.port}/v1/projects"];
        const told = await Promise.all(tries.map((url) => fetch(url).then(() => "GOT", () => "refused")));
        return Response.json(told);
      };`,
    },
    rules: [
      proxyTo(url),
      rule("ask", { type: "pipeline", steps: [{ handle: "ask" }] }, "/ask"),
    ],
  });
  assert.equal((await platform.get(HOST, "/up/x")).status, 502);
  assert.equal((await platform.get(HOST, "/ask")).text, '["refused","refused"]');
  assert.equal(asked, 0);
});

Deno.test("a rewrite to itself returns a 508", async () => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  let passed = 0;
  const { url } = machinery.serve(async (request) => {
    passed++;
    const headers = Object.fromEntries(request.headers);
    const path = "/up/again";
    const answer = await rawRequest(platform.port, {
      host: HOST,
      path,
      headers: { ...headers, host: HOST },
    });
    return new Response(answer.text, { status: answer.status });
  });
  await createProject(platform, "shop");
  await publish(platform, "shop", { rules: [proxyTo(url)] });
  assert.equal((await platform.get(HOST, "/up/x")).status, 508);
  assert.equal(passed, 4);
});

Deno.test("exceeded rate limits return a 429 with Retry-After and the RateLimit headers", async () => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  await createProject(platform, "shop");
  await publish(platform, "shop", {
    rules: [rule("calls", { type: "rate_limit", limit: 2, windowSeconds: 60 })],
  });
  const answers = [];
  for (let index = 0; index < 3; index++) answers.push(await platform.get(HOST, "/"));
  assert.deepEqual(answers.map(({ status }) => status), [200, 200, 429]);
  assert.equal(answers[0]?.headers["ratelimit-policy"], '"calls";q=2;w=60');
  assert.match(String(answers[2]?.headers["retry-after"]), /^\d+$/);
});

Deno.test("functions' code, variables, logs and lifetime belong to their deployment", async (t) => {
  await using machinery = await openMachinery();
  let { platform } = machinery;
  const before = functionProcesses();
  const started = () => functionProcesses().filter((pid) => !before.includes(pid));
  const handle = { type: "pipeline", steps: [{ handle: "api" }] };
  const api = (version: number) => `
    export default (request: Request, context: { env: Record<string, string>; ip: string }) => {
      if (new URL(request.url).pathname === "/fails") throw new RangeError("as asked");
      console.warn("called", ${version});
      return Response.json({ version: ${version}, key: context.env.KEY ?? null, ip: context.ip });
    };`;
  const set = (value: string) =>
    platform.api("PUT", "/v1/projects/shop/variables/KEY", {
      json: { category: "secret", scope: "all", value },
    });
  await createProject(platform, "shop");
  await set("one");
  const first = await publish(platform, "shop", {
    functions: { api: api(1) },
    rules: [rule("api", handle)],
  });
  const toldBy = async (host: string) => {
    const { status, text } = await platform.get(host, "/x");
    assert.equal(status, 200, text);
    return JSON.parse(text);
  };
  const told = () => toldBy(HOST);

  await t.step("functions use their deployment's variables", async () => {
    assert.deepEqual(first.functions, ["api"]);
    assert.deepEqual(await told(), { version: 1, key: "one", ip: "127.0.0.1" });
    await set("two");
    assert.equal((await told()).key, "one", "a new value applies only to later deployments");
  });

  await t.step(
    "console output and errors are logged with the author's file and line",
    async () => {
      const failed = await platform.get(HOST, "/fails");
      assert.equal(failed.status, 503);
      assert.doesNotMatch(failed.text, /as asked/);
      const id = failed.headers["x-svc-request-id"];
      let items: { level?: string; message?: string; stack?: string | null; requestId?: string }[] =
        [];
      await until(async () => {
        ({ items } = (await platform.api("GET", "/v1/projects/shop/logs?limit=100")).json);
        return items.some(({ stack }) => typeof stack === "string");
      });
      const error = items.find(({ stack }) => typeof stack === "string");
      assert.match(error?.stack ?? "", /functions\/api\.ts:3:61\)/);
      assert.equal(error?.requestId, id);
      assert.ok(items.some(({ level, message }) => level === "warn" && message === "called 1"));
    },
  );

  await t.step(
    "a new deployment has its own functions, and a rollback restores the earlier ones",
    async () => {
      await publish(platform, "shop", { functions: { api: api(2) }, rules: [rule("api", handle)] });
      assert.deepEqual([(await told()).version, (await told()).key], [2, "two"]);
      const old = new URL(first.url).hostname;
      assert.equal((await toldBy(old)).version, 1);
      await platform.api("POST", "/v1/projects/shop/rollback", { json: {} });
      assert.deepEqual([(await told()).version, (await told()).key], [1, "one"]);
    },
  );

  await t.step(
    "a restart of the platform restores functions and leaves no process behind",
    async () => {
      const old = started();
      assert.ok(old.length > 0);
      platform = await machinery.restart();
      // Processes that belong to parallel tests exit when their own platforms stop.
      await until(() => !functionProcesses().some((pid) => old.includes(pid)));
      assert.deepEqual(await told(), { version: 1, key: "one", ip: "127.0.0.1" });
    },
  );

  await t.step("rules that need a missing function are refused", async () => {
    const answer = await platform.api("PUT", "/v1/projects/shop/rules", {
      headers: { "if-match": '"none"' },
      json: {
        schemaVersion: "EDGE_RULE_SET_V1",
        rules: [rule("x", { type: "pipeline", steps: [{ handle: "not-there" }] })],
      },
    });
    assert.ok(answer.status >= 400 && answer.status < 500, String(answer.status));
    assert.match(JSON.stringify(answer.json), /not-there/);
  });

  await t.step("functions stop when their project is deleted", async () => {
    assert.ok(started().length > 0);
    const gone = await platform.api("DELETE", "/v1/projects/shop");
    assert.ok(gone.status < 300, JSON.stringify(gone.json));
    await until(() => started().length === 0);
    assert.equal((await platform.get(HOST, "/x")).status, 404);
  });
});
