/**
 * Tests each condition and each action over HTTP, on a running platform that trusts the test as its
 * proxy.
 */
import assert from "node:assert/strict";
import { createProject, deploy, rawRequest, withPlatform } from "../../helpers/platform.ts";

const files = { "index.html": "home", "new.html": "new", "files/a.txt": "file a" };
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 " +
  "(KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1";

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/** A condition, a request that the condition matches, and one that it does not match. */
type Row = readonly [name: string, condition: unknown, matching: Asked, other: Asked];

const conditions: readonly Row[] = [
  ["path exact", { path: { type: "exact", value: "/a" } }, { path: "/a" }, { path: "/ab" }],
  ["path prefix", { path: { type: "prefix", value: "/p/" } }, { path: "/p/x" }, { path: "/q/x" }],
  ["path glob", { path: { type: "glob", value: "/g/*/z" } }, { path: "/g/y/z" }, { path: "/g/z" }],
  ["methods", { methods: ["POST"] }, { method: "POST" }, { method: "GET" }],
  ["method", { method: ["DELETE"] }, { method: "DELETE" }, { method: "GET" }],
  [
    "host",
    { host: "shop-git-main.localhost" },
    { headers: { host: "shop-git-main.localhost" } },
    {},
  ],
  ["headers", { headers: { "X-Key": "v" } }, { headers: { "x-key": "v" } }, {
    headers: { "x-key": "w" },
  }],
  ["query", { query: { q: "1" } }, { path: "/?q=0&q=1" }, { path: "/?q=2" }],
  ["cookies", { cookies: { s: "1" } }, { headers: { cookie: "t=2; s=1" } }, {
    headers: { cookie: "s=2" },
  }],
  ["geo", { geo: ["DE"] }, { headers: { "x-geo-country": "de" } }, {
    headers: { "x-geo-country": "FR" },
  }],
  ["asn", { asn: [64496] }, { headers: { "x-geo-asn": "64496" } }, {
    headers: { "x-geo-asn": "64497" },
  }],
  ["device", { device: "mobile" }, { headers: { "user-agent": IPHONE } }, {
    headers: { "user-agent": "curl/8" },
  }],
  ["sourceIpCidrs IPv4", { sourceIpCidrs: ["192.0.2.0/24"] }, {
    headers: { "x-forwarded-for": "192.0.2.9" },
  }, { headers: { "x-forwarded-for": "192.0.3.9" } }],
  ["sourceIpCidrs IPv6", { sourceIpCidrs: ["2001:db8::/32"] }, {
    headers: { "x-forwarded-for": "2001:db8::1" },
  }, { headers: { "x-forwarded-for": "2001:db9::1" } }],
  ["sourceIpCidrs mapped", { sourceIpCidrs: ["192.0.2.0/24"] }, {
    headers: { "x-forwarded-for": "::ffff:192.0.2.9" },
  }, { headers: { "x-forwarded-for": "::ffff:192.0.3.9" } }],
  ["any", { any: [{ query: { a: "1" } }, { query: { b: "1" } }] }, { path: "/?b=1" }, {
    path: "/?c=1",
  }],
  ["not", { not: { query: { a: "1" } } }, { path: "/" }, { path: "/?a=1" }],
  [
    "several fields",
    { methods: ["POST"], path: { type: "prefix", value: "/p/" }, not: { query: { a: "1" } } },
    { method: "POST", path: "/p/x" },
    { method: "POST", path: "/p/x?a=1" },
  ],
];

const ruleSet = (...rules: unknown[]) => ({ schemaVersion: "EDGE_RULE_SET_V1", rules });

type Ask = (asked: Asked) => ReturnType<typeof rawRequest>;

/** Runs a test on a platform that trusts clients' forwarding headers. */
const withShop = (
  run: (
    shop: { ask: Ask; publish(...rules: readonly unknown[]): Promise<unknown> },
  ) => Promise<void>,
) =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await run({
      publish: (...rules) => deploy(platform, "shop", { files, rules: ruleSet(...rules) }),
      ask: ({ path = "/", method = "GET", headers = {} }) =>
        rawRequest(platform.port, { host: "shop.localhost", path, method, headers }),
    });
  }, { trustProxy: ["127.0.0.1/32"] });

Deno.test("each condition matches requests over HTTP", (t) =>
  withShop(async ({ ask, publish }) => {
    for (const [name, condition, matching, other] of conditions) {
      await t.step(name, async () => {
        await publish({ id: "r", condition, action: { type: "deny", statusCode: 451 } });
        assert.equal((await ask(matching)).status, 451);
        assert.notEqual((await ask(other)).status, 451);
      });
    }
  }));

const at = (value: string) => ({ condition: { path: { type: "exact", value } } });

Deno.test("actions have the documented effects over HTTP", () =>
  withShop(async ({ ask, publish }) => {
    await publish(
      { id: "allowed", ...at("/open"), action: { type: "allow" } },
      { id: "logged", ...at("/new"), action: { type: "log" } },
      { id: "shut", condition: { query: { shut: "1" } }, action: { type: "deny" } },
      { id: "trial", ...at("/new"), action: { type: "deny", mode: "shadow" } },
      {
        id: "moved",
        condition: { path: { type: "glob", value: "/old/{rest...}" } },
        action: { type: "redirect", target: "/new/{rest}", statusCode: 308 },
      },
      {
        id: "spare",
        condition: { path: { type: "prefix", value: "/n" } },
        action: { type: "redirect", target: "/spare", ifNoFile: true },
      },
      { id: "inside", ...at("/alias"), action: { type: "rewrite", target: "/files/a.txt" } },
      {
        id: "named",
        condition: { path: { type: "glob", value: "/files/{name}" } },
        action: { type: "set_headers", headers: { "x-file": "{name}", "x-text": "{{name}}" } },
      },
      { id: "bare", action: { type: "remove_headers", headers: ["etag"] } },
    );
    const status = async (path: string) => (await ask({ path })).status;
    assert.equal(await status("/?shut=1"), 403, "deny");
    assert.equal(await status("/open?shut=1"), 404, "allow ends the security phase");
    assert.equal(await status("/new"), 200, "log and shadow deny let requests pass");
    const moved = await ask({ path: "/old/a/b?q=1" });
    assert.deepEqual([moved.status, moved.headers.location], [308, "/new/a/b?q=1"]);
    assert.equal(await status("/nothing"), 302, "ifNoFile applies if there is no file");
    assert.equal((await ask({ path: "/alias" })).text, "file a", "internal rewrite");
    const file = await ask({ path: "/files/a.txt" });
    assert.deepEqual([file.headers["x-file"], file.headers["x-text"]], ["a.txt", "{name}"]);
    assert.equal(file.headers.etag, undefined, "remove_headers");
  }));

Deno.test("an untrusted client cannot set its address, country or network", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const deny = (id: string, condition: unknown) => ({ id, condition, action: { type: "deny" } });
    await deploy(platform, "shop", {
      files,
      rules: ruleSet(
        deny("ip", { sourceIpCidrs: ["192.0.2.0/24"] }),
        deny("geo", { geo: ["DE"] }),
        deny("asn", { asn: [64496] }),
      ),
    });
    const page = await platform.get("shop.localhost", "/", {
      "x-forwarded-for": "192.0.2.9",
      forwarded: "for=192.0.2.9",
      "x-real-ip": "192.0.2.9",
      "x-geo-country": "DE",
      "x-geo-asn": "64496",
    });
    assert.equal(page.status, 200);
  }));
