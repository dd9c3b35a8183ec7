/** Tests which of the platform's responses a front edge caches, for whom, and for how long. */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { cachingRules, deployCached } from "../../helpers/cached_site.ts";
import { addEdge, type TestEdge } from "../../helpers/front_edge.ts";
import { makePng } from "../../helpers/images.ts";
import {
  createProject,
  rawRequest,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { openLine, type SlowLine } from "../../helpers/slow_line.ts";

const HOST = "shop.localhost";

/** Pages that are cached because of a rule, their route, or their own headers. */
const KEPT = ["/rule/a", "/pages/a", "/declared/a", "/rule/large", "/pages/large", "/phones/"];

interface Parts {
  readonly platform: TestPlatform;
  readonly edge: TestEdge;
  readonly line: SlowLine;
  get(path: string, headers?: Record<string, string>): ReturnType<TestEdge["get"]>;
}

const withEdge = (
  run: (parts: Parts) => Promise<void>,
  options: Parameters<typeof withPlatform>[1] = {},
) =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployCached(platform, "shop", { files: { "cat.png": makePng(64, 64) } });
    await using line = openLine(platform.port);
    const edge = await addEdge(platform, "far", { join: `http://127.0.0.1:${line.port}` });
    try {
      const get: Parts["get"] = (path, headers = {}) => edge.get(HOST, path, headers);
      await run({ platform, edge, line, get });
    } finally {
      await edge.kill();
    }
  }, options);

/** Requests a page three times, because only the platform caches the first response. */
async function warm({ get }: Pick<Parts, "get">, path: string): Promise<string> {
  await get(path);
  await get(path);
  const { text, status } = await get(path);
  assert.equal(status, 200, `${path} ${text}`);
  return text;
}

Deno.test("a front edge caches what the platform has cached, and does not request it again", () =>
  withEdge(async ({ get, line, edge, platform }) => {
    for (const path of KEPT) {
      const text = await warm({ get }, path);
      const asked = line.asked(path);
      const first = await get(path);
      assert.equal(first.headers["x-svc-cache"], "HIT", path);
      assert.ok(Number(first.headers.age) >= 0);
      assert.equal(first.headers.mark, "1", path);
      assert.equal(first.headers.curious, undefined);
      assert.equal(first.headers["x-svc-edge-keep"], undefined);
      assert.equal(first.headers["svc-cdn-cache-control"], undefined);
      // Rules, conditions and ranges apply to each visitor.
      const curious = path.startsWith("/rule/") ? "yes" : undefined;
      assert.equal((await get(path, { "x-curious": "yes" })).headers.curious, curious);
      const part = await get(path, { range: "bytes=1-3" });
      assert.equal(part.status, 206);
      assert.equal(part.text, text.slice(1, 4));
      const { etag } = first.headers;
      if (etag !== undefined) {
        assert.equal((await get(path, { "if-none-match": String(etag) })).status, 304);
      }
      const head = await rawRequest(edge.port, { method: "HEAD", host: HOST, path });
      assert.equal(head.headers["content-length"], String(text.length));
      assert.equal(line.asked(path), asked, path);
      // The client gets the platform's response, not one from the edge's cache.
      const direct = await platform.get(HOST, path);
      for (const name of ["vary", "cache-control", "etag", "x-count", "x-svc-cache", "mark"]) {
        assert.deepEqual(first.headers[name], direct.headers[name], `${path} ${name}`);
      }
      assert.equal(first.text, direct.text);
    }
    // Each format of an image is converted once and fetched once.
    const image = "/_svc/image?url=/cat.png&w=64&q=75";
    await warm({ get }, image);
    const asked = line.asked(image);
    const png = await get(image);
    assert.equal(png.headers["x-svc-cache"], "HIT");
    assert.equal(line.asked(image), asked);
    const webp = await get(image, { accept: "image/webp,*/*" });
    assert.equal(webp.headers["content-type"], "image/webp");
    assert.ok(line.asked(image) > asked);
    // A page that does not declare that it can be cached.
    const [one, two] = [await get("/plain/a"), await get("/plain/a")];
    assert.notEqual(one.headers["x-count"], two.headers["x-count"]);
  }));

Deno.test("an acknowledged change is immediately visible at the edge", () =>
  withEdge(async ({ get, platform, edge }) => {
    const seen = async () => {
      const texts = [];
      for (const path of KEPT) texts.push((await get(path)).text.slice(0, 9));
      return new Set(texts);
    };
    const purge = async (json: unknown) => {
      const { status } = await platform.api("POST", "/v1/projects/shop/purge", { json });
      assert.equal(status, 200);
    };
    let changes = 0;
    /** Changes the server's content without going through the edge. */
    const change = async () => {
      const path = `/set?v=${++changes}____`;
      assert.equal(
        (await rawRequest(platform.port, { method: "POST", host: HOST, path })).text,
        "set",
      );
      return `v1 ${changes}____ `;
    };
    for (const path of KEPT) await warm({ get }, path);
    const shown = await change();
    assert.ok(!(await seen()).has(shown), "nothing has been purged yet");
    await purge({ type: "all" });
    assert.deepEqual(await seen(), new Set([shown]));
    for (
      const [json, path] of [
        [{ type: "path", path: "/rule/a" }, "/rule/a"],
        [{ type: "path", path: "/pages/phones" }, "/phones/"],
        [{ type: "prefix", prefix: "/pages/" }, "/pages/a"],
        [{ type: "tag", tag: "news" }, "/declared/a"],
      ] as const
    ) {
      await warm({ get }, path);
      const next = await change();
      await purge(json);
      assert.equal((await get(path)).text.slice(0, next.length), next, JSON.stringify(json));
    }
    // After a soft purge, a page is served stale at most once.
    await warm({ get }, "/pages/a");
    const next = await change();
    await purge({ type: "all", soft: true });
    const soft = await get("/pages/a");
    assert.ok(soft.headers["x-svc-cache"] === "STALE" || soft.text.startsWith(next));
    // A request with an unsafe method invalidates the page, whether or not it goes through the
    // edge.
    for (const port of [edge.port, platform.port]) {
      await warm({ get }, "/rule/a");
      const path = "/rule/a?v=posted";
      await warm({ get }, path);
      const posted = await rawRequest(port, { method: "POST", host: HOST, path });
      assert.equal(posted.text, "set");
      if (port === edge.port) assert.match((await get(path)).text, /^v1 posted/);
      else {
        await until(() => get(path), ({ text }) => text.startsWith("v1 posted"), 30_000);
      }
      await rawRequest(port, { method: "POST", host: HOST, path: "/rule/a?v=other" });
      await purge({ type: "all" });
    }
    // Rules, a deployment and a rollback take effect immediately.
    for (const path of KEPT) await warm({ get }, path);
    const at = "/v1/projects/shop/rules";
    const etag = (await platform.api("GET", at)).headers.get("etag")!;
    const headers = { "if-match": etag };
    const rules = await platform.api("PUT", at, { json: cachingRules("2"), headers });
    assert.equal(rules.status, 200, JSON.stringify(rules.json));
    for (const path of KEPT) assert.equal((await get(path)).headers.mark, "2", path);
    for (let version = 2; version < 6; version++) {
      await deployCached(platform, "shop", { version: `v${version}` });
      for (const path of KEPT) assert.match(await warm({ get }, path), new RegExp(`^v${version} `));
    }
    const back = await platform.api("POST", "/v1/projects/shop/rollback", { json: {} });
    assert.equal(back.status, 200);
    for (const path of KEPT) assert.match((await get(path)).text, /^v4 /);
  }));

Deno.test("unsafe methods remove pages even from edges that keep them longer than the platform", () =>
  withEdge(async ({ get, platform }) => {
    const path = "/rule/a?v=posted";
    await warm({ get }, path);
    // Other pages have filled the platform's memory. A request for this page would cache it again.
    for (let at = 0; at < 20; at++) await platform.get(HOST, `/rule/large?${at}`);
    const state = async () => (await get(path)).headers["x-svc-cache"];
    assert.equal(await state(), "HIT");
    const posted = await rawRequest(platform.port, { method: "POST", host: HOST, path });
    assert.equal(posted.text, "set");
    await until(async () => (await get(path)).text.startsWith("v1 posted"));
  }, { caches: { responses: 1024 * 1024 } }));

Deno.test("private responses never reach other people through the edge", () =>
  withEdge(async ({ get, platform }) => {
    for (const path of ["/rule/cookie/a", "/rule/vary/a", "/rule/a", "/pages/a", "/declared/a"]) {
      const counts = new Set();
      for (const person of ["ann", "bob", "ann", "bob"]) {
        const headers = { cookie: `id=${person}`, authorization: `Bearer ${person}` };
        const { text, headers: { "set-cookie": cookie = "" } } = await get(path, headers);
        const other = person === "ann" ? "bob" : "ann";
        assert.ok(!text.includes(other), `${path} ${text}`);
        assert.ok(!counts.has(String(cookie)) || cookie === "", path);
        counts.add(String(cookie));
      }
    }
    // Responses with Vary are cached separately for each language.
    for (const language of ["de", "en", "de", "en", "de", "en"]) {
      const { text } = await get("/rule/lang/a", { "accept-language": language });
      assert.match(text, new RegExp(` ${language}$`));
    }
    // Protection takes effect immediately, even for cached responses.
    await warm({ get }, "/pages/a");
    for (const protection of ["all", "off"]) {
      const access = await platform.api("PATCH", "/v1/projects/shop/previews", {
        json: { protection },
      });
      assert.equal(access.status, 200);
      const { text } = await get("/pages/a");
      assert.equal(text.startsWith("v1 "), protection === "off", protection);
    }
  }));

Deno.test("simultaneous requests for a page cause one fetch, and pages survive an outage", () =>
  withEdge(async ({ get, line, platform }) => {
    const text = await warm({ get }, "/pages/a");
    for (let at = 0; at < 2; at++) await platform.get(HOST, "/pages/b");
    line.delayMs = 200;
    const all = await Promise.all(Array.from({ length: 20 }, () => get("/pages/b")));
    for (const { status } of all) assert.equal(status, 200);
    assert.equal(line.asked("/pages/b"), 1);
    line.cut();
    assert.equal((await get("/pages/a")).text, text);
    assert.equal((await get("/pages/c")).status, 503);
  }));
