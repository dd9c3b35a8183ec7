import assert from "node:assert/strict";
import { systemRandom } from "../lib/clock.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { Protection } from "../lib/protection.ts";
import type { Action, Rule } from "../rules/mod.ts";
import { testEdge, testSite } from "./_test_site.ts";
import type { AccessKeeper, PasswordOutcome } from "./access/gatekeeper.ts";
import { openToken, sealToken } from "./access/sealed_token.ts";
import { type AccessFacts, SiteAccess } from "./access/site_access.ts";
import { atHost } from "./site/site.ts";

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const KEY = new Uint8Array(32).fill(7);
const PAGE = { accept: "text/html" };

const FACTS: AccessFacts = {
  version: "1",
  protection: "members",
  workspaceId: "w1",
  passwordId: "p1",
  bypassHash: sha256Hex("the-key"),
  shares: [
    {
      id: "s1",
      hash: sha256Hex("link"),
      deploymentId: "deployment-1",
      hostname: null,
      endsAt: NOW + HOUR,
    },
    {
      id: "s2",
      hash: sha256Hex("branch"),
      deploymentId: null,
      hostname: "site.test",
      endsAt: NOW + HOUR,
    },
    {
      id: "s3",
      hash: sha256Hex("ended"),
      deploymentId: "deployment-1",
      hostname: null,
      endsAt: NOW,
    },
    {
      id: "s4",
      hash: sha256Hex("other"),
      deploymentId: "deployment-2",
      hostname: null,
      endsAt: NOW + HOUR,
    },
    {
      id: "s5",
      hash: sha256Hex("elsewhere"),
      deploymentId: null,
      hostname: "b.test",
      endsAt: NOW + HOUR,
    },
  ],
  allowCidrs: ["198.51.100.0/24"],
  exemptPaths: ["/hooks/*"],
  exemptOptions: true,
  maintenance: null,
};

interface Given {
  readonly facts?: Partial<AccessFacts>;
  readonly production?: boolean;
  readonly rules?: readonly Rule[];
}

/** Returns an edge with one protected site, and the platform behind its gate. */
function protectedEdge({ facts, production = false, rules = [] }: Given = {}) {
  const sessions = new Set(["session-1"]);
  const redeemed = new Set<string>();
  const clock = { now: NOW };
  const keeper: AccessKeeper = {
    key: () => Promise.resolve(KEY),
    signInUrl: "http://platform.test/previews/sign-in",
    isMember: ({ userId, session }, workspaceId) =>
      Promise.resolve(userId === "u1" && workspaceId === "w1" && sessions.has(session)),
    redeem: (id) => {
      const isFirst = !redeemed.has(id);
      redeemed.add(id);
      return Promise.resolve(isFirst);
    },
    checkPassword: (_, { password }): Promise<PasswordOutcome> =>
      Promise.resolve(
        password === "open sesame"
          ? { type: "right", passwordId: "p1" }
          : password === "too often"
          ? { type: "wait", seconds: 5 }
          : { type: "wrong" },
      ),
  };
  const access = new SiteAccess("project-1", { ...FACTS, ...facts });
  const { site } = testSite({
    "index.html": "secret home",
    "page.html": "secret page",
    "hooks/in.txt": "hook",
    "503.html": "own maintenance",
  }, { rules });
  const shown = atHost(site, { isProduction: production, access });
  const edge = testEdge(shown, {
    access: keeper,
    now: () => clock.now,
    resolveHost: (host) => host.endsWith(".test") ? shown : undefined,
  });
  return { edge, access, sessions, clock };
}

type Protected = ReturnType<typeof protectedEdge>;

const cookieOf = (response: Response, name: string): string =>
  response.headers.getSetCookie().find((each) => each.startsWith(`${name}=`))!.split(";")[0]!;

/** Follows the redirects to the platform and back, as a member's browser does. */
async function signIn({ edge }: Protected, {
  url = "http://site.test/page?a=1",
  change = {},
}: { readonly url?: string; readonly change?: Record<string, unknown> } = {}) {
  const sent = await edge.fetch(url, { headers: PAGE });
  assert.equal(sent.status, 302, "not sent to the platform");
  const location = new URL(sent.headers.get("location")!);
  assert.equal(location.origin + location.pathname, "http://platform.test/previews/sign-in");
  const request = openToken("request", location.searchParams.get("request")!, {
    key: KEY,
    now: NOW,
  })!;
  const { host, projectId, to, browser } = request;
  const grant = sealToken("grant", {
    id: crypto.randomUUID(),
    host,
    projectId,
    to,
    browser,
    userId: "u1",
    session: "session-1",
    endsAt: NOW + 60_000,
    ...change,
  }, { key: KEY, random: systemRandom });
  const browserCookie = cookieOf(sent, "svc_access_browser");
  const callback = `http://${host}/_svc/access/callback?grant=${grant}`;
  return { callback, browserCookie, request };
}

async function memberCookie(parts: Protected): Promise<string> {
  const { callback, browserCookie } = await signIn(parts);
  const back = await parts.edge.fetch(callback, { headers: { cookie: browserCookie } });
  assert.equal(back.status, 303);
  return cookieOf(back, "svc_access");
}

const statusOf = async (
  parts: Protected,
  url: string,
  init: Parameters<Protected["edge"]["fetch"]>[1],
) => {
  const response = await parts.edge.fetch(url, init);
  const text = await response.text();
  if (response.status === 401 || response.status === 302) {
    assert.ok(!text.includes("secret"), "a refusal shows the site");
    assert.equal(response.headers.get("cache-control"), "no-store");
  }
  return response.status;
};

Deno.test("a protected host only accepts visitors with access", async () => {
  const parts = protectedEdge();
  const rows:
    readonly (readonly [string, string, Parameters<Protected["edge"]["fetch"]>[1], number])[] = [
      ["a request without credentials goes to the sign-in", "/", { headers: PAGE }, 302],
      ["a script gets 401", "/", {}, 401],
      ["HEAD gets 401", "/", { method: "HEAD" }, 401],
      ["POST gets 401", "/", { method: "POST" }, 401],
      ["a WebSocket gets 401", "/", {
        headers: { upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "x" },
      }, 401],
      ["the bypass key", "/", { headers: { "x-svc-bypass": "the-key" } }, 200],
      ["a wrong bypass key", "/", { headers: { "x-svc-bypass": "the-kex" } }, 401],
      ["an empty bypass key", "/", { headers: { "x-svc-bypass": "" } }, 401],
      ["a listed address", "/", { from: "198.51.100.9" }, 200],
      ["another address", "/", { from: "198.51.101.9" }, 401],
      ["a spoofed address", "/", { headers: { "x-forwarded-for": "198.51.100.9" } }, 401],
      ["an exempt path", "/hooks/in.txt", {}, 200],
      ["a path that leaves the exempt folder", "/hooks/../page.html", {}, 401],
      ["the same, encoded", "/hooks/%2e%2e/page.html", {}, 401],
      ["OPTIONS, if it is exempt", "/", { method: "OPTIONS" }, 405],
      ["an invented cookie", "/", { headers: { cookie: "svc_access=abc" } }, 401],
      ["a lost link", "/?x-svc-share=none", { headers: PAGE }, 401],
      ["an expired link", "/?x-svc-share=ended", { headers: PAGE }, 401],
      ["a link to another deployment", "/?x-svc-share=other", { headers: PAGE }, 401],
      ["a link to another branch", "/?x-svc-share=elsewhere", { headers: PAGE }, 401],
      ["an unknown path of the gate", "/_svc/access/none", {}, 404],
      ["a path that cannot be normalized", "/%zz", {}, 400],
    ];
  for (const [name, url, init, status] of rows) {
    assert.equal(await statusOf(parts, url, init), status, name);
  }
  assert.deepEqual(parts.edge.errors, []);
});

Deno.test("protection applies to previews, and with `all` also to production", async () => {
  const rows: readonly (readonly [Protection, boolean, number])[] = [
    ["off", false, 200],
    ["off", true, 200],
    ["members", false, 401],
    ["members", true, 200],
    ["password", false, 401],
    ["password", true, 200],
    ["all", false, 401],
    ["all", true, 401],
  ];
  for (const [protection, production, status] of rows) {
    const { edge } = protectedEdge({ facts: { protection }, production });
    assert.equal((await edge.fetch("/")).status, status, `${protection}, ${production}`);
  }
});

Deno.test("a member who signs in at the platform has access until the session ends", async () => {
  const parts = protectedEdge();
  const { edge, sessions, clock } = parts;
  const { callback, browserCookie, request } = await signIn(parts);
  assert.equal(request.to, "/page?a=1");
  assert.equal(request.origin, "http://site.test");
  const back = await edge.fetch(callback, { headers: { cookie: browserCookie } });
  assert.equal(back.status, 303);
  assert.equal(back.headers.get("location"), "http://site.test/page?a=1");
  assert.equal(back.headers.get("cache-control"), "no-store");
  const [set] = back.headers.getSetCookie();
  assert.match(set!, /^svc_access=[\w-]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/);
  const headers = { cookie: set!.split(";")[0]! };

  const page = await edge.fetch("/page", { headers });
  assert.equal(await page.text(), "secret page");
  assert.equal(page.headers.get("cache-control"), "private, no-cache");
  assert.equal((await edge.fetch("/page", { headers, method: "POST" })).status, 405);
  assert.equal(
    (await edge.fetch("http://other.test/page", { headers })).status,
    401,
    "another host",
  );

  assert.equal((await edge.fetch(callback, { headers: { cookie: browserCookie } })).status, 401);
  sessions.clear();
  assert.equal((await edge.fetch("/page", { headers })).status, 401, "after the session ended");
  sessions.add("session-1");
  clock.now += 7 * 24 * HOUR;
  assert.equal((await edge.fetch("/page", { headers })).status, 401, "after a week");
});

Deno.test("a grant works once, in its browser, for its host, within its lifetime", async () => {
  const rows: readonly (readonly [string, Record<string, unknown>, string?])[] = [
    ["that has expired", { endsAt: NOW }],
    ["for another host", { host: "other.test" }],
    ["for another project", { projectId: "project-2" }],
    ["from another browser", { browser: "x" }],
    ["in a browser that did not request it", {}, ""],
    ["in another browser", {}, `svc_access_browser=${"a".repeat(22)}`],
  ];
  for (const [name, change, cookie] of rows) {
    const parts = protectedEdge();
    const { callback, browserCookie } = await signIn(parts, { change });
    const url = callback.replace(/\/\/[^/]+/, "//site.test");
    const answer = await parts.edge.fetch(url, { headers: { cookie: cookie ?? browserCookie } });
    assert.equal(answer.status, 401, name);
    assert.deepEqual(answer.headers.getSetCookie(), [], name);
  }
  const parts = protectedEdge();
  const { callback, browserCookie: cookie, request } = await signIn(parts);
  const forged = [
    callback.replace(
      /grant=(.{40})(.)/,
      (_, head, next) => `grant=${head}${next === "A" ? "B" : "A"}`,
    ),
    callback.replace(/grant=.*/, "grant="),
    callback.replace(
      /grant=.*/,
      `grant=${sealToken("request", request, { key: KEY, random: systemRandom })}`,
    ),
    callback.replace(
      /grant=.*/,
      `grant=${
        sealToken("grant", { ...request, id: "x", userId: "u1", session: "session-1" }, {
          key: new Uint8Array(32).fill(8),
          random: systemRandom,
        })
      }`,
    ),
  ];
  for (const url of forged) {
    assert.equal((await parts.edge.fetch(url, { headers: { cookie } })).status, 401, url);
  }
});

Deno.test("over HTTPS, the cookies are secure and limited to this host", async () => {
  const { edge } = protectedEdge();
  const answer = await edge.fetch("https://site.test/?x-svc-share=link", { headers: PAGE });
  for (const cookie of answer.headers.getSetCookie()) {
    assert.match(cookie, /^__Host-svc_access(?:_browser)?=[\w-]*; Path=\/; .*; Secure$/);
  }
  const [pass] = answer.headers.getSetCookie()[0]!.split(";");
  assert.equal(
    (await edge.fetch("https://site.test/", { headers: { cookie: pass! } })).status,
    200,
  );
  const plain = pass!.replace("__Host-", "");
  assert.equal(
    (await edge.fetch("https://site.test/", { headers: { cookie: plain } })).status,
    401,
  );
});

Deno.test("a share link and a bypass key are removed from the URL, and stop working when revoked", async () => {
  const rows = [
    ["x-svc-share=link", { shares: [] }],
    ["x-svc-share=branch", { shares: [] }],
    ["x%2Dsvc-share=link", { shares: [] }],
    ["x-svc-bypass=the-key", { bypassHash: null }],
  ] as const;
  for (const [secret, revoked] of rows) {
    const { edge, access, clock } = protectedEdge();
    const answer = await edge.fetch(`/page?a=1&${secret}&b=%2F`, { headers: PAGE });
    assert.equal(answer.status, 303, secret);
    assert.equal(answer.headers.get("location"), "http://site.test/page?a=1&b=%2F");
    const headers = { cookie: cookieOf(answer, "svc_access") };
    assert.equal((await edge.fetch("/page", { headers })).status, 200, secret);
    if (secret.includes("share")) {
      clock.now += HOUR;
      assert.equal((await edge.fetch("/page", { headers })).status, 401, `${secret} has expired`);
      clock.now -= HOUR;
    }
    access.replace({ ...FACTS, ...revoked, version: "2" });
    assert.equal((await edge.fetch("/page", { headers })).status, 401, `${secret} was revoked`);
    access.replace({ ...FACTS, version: "1" });
    assert.equal(
      (await edge.fetch("/page", { headers })).status,
      401,
      "older facts do not replace newer ones",
    );
  }
});

Deno.test("a password gives access through a form, until the password changes", async () => {
  const { edge, access } = protectedEdge({ facts: { protection: "password" } });
  const form = await edge.fetch("/page?a=1", { headers: PAGE });
  assert.equal(form.status, 401);
  const html = await form.text();
  assert.match(html, /action="\/_svc\/access\/password"/);
  assert.match(html, /name="to" value="\/page\?a=1"/);
  const send = (password: string, to = "/page", more: Record<string, string> = {}) =>
    edge.fetch("/_svc/access/password", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...more },
      body: new URLSearchParams({ password, to }).toString(),
    });
  assert.equal((await send("wrong")).status, 401);
  const wait = await send("too often");
  assert.equal(wait.status, 429);
  assert.equal(wait.headers.get("retry-after"), "5");
  assert.equal((await send("x".repeat(9000))).status, 400);
  assert.equal((await send("open sesame", "/", { "sec-fetch-site": "cross-site" })).status, 400);
  for (const to of ["//evil.test/", "https://evil.test/", "/\\evil.test", "\r\nx: y", ""]) {
    const location = (await send("open sesame", to)).headers.get("location")!;
    assert.equal(new URL(location).host, "site.test", to);
  }
  const headers = { cookie: cookieOf(await send("open sesame"), "svc_access") };
  assert.equal((await edge.fetch("/page", { headers })).status, 200);
  access.replace({ ...FACTS, protection: "members", version: "2" });
  assert.equal((await edge.fetch("/page", { headers })).status, 401, "members only");
  access.replace({ ...FACTS, protection: "password", passwordId: "p2", version: "3" });
  assert.equal((await edge.fetch("/page", { headers })).status, 401, "new password");
});

Deno.test("a path that browsers mistake for a host never redirects to another site", async () => {
  const parts = protectedEdge();
  for (const path of ["//evil.test/a", "/\\evil.test", "/_svc/access/sign-in?to=//evil.test"]) {
    const { callback, browserCookie } = await signIn(parts, { url: `http://site.test${path}` });
    const back = await parts.edge.fetch(callback, { headers: { cookie: browserCookie } });
    assert.equal(new URL(back.headers.get("location")!).host, "site.test", path);
  }
});

Deno.test("code behind the gate never sees the gate's cookies or secrets", async () => {
  const echo: Rule[] = [{
    id: "cookie",
    condition: { cookies: { own: "1" } },
    action: { type: "set_headers", headers: { "x-own": "seen" } },
  }, {
    id: "pass",
    condition: { headers: { cookie: "own=1" } },
    action: { type: "set_headers", headers: { "x-only": "own" } },
  }, {
    id: "bypass",
    condition: { headers: { "x-svc-bypass": "the-key" } },
    action: { type: "set_headers", headers: { "x-leak": "bypass" } },
  }];
  const parts = protectedEdge({ rules: echo });
  const cookie = `own=1; ${await memberCookie(parts)}`;
  const answer = await parts.edge.fetch("/", { headers: { cookie, "x-svc-bypass": "the-key" } });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("x-own"), "seen");
  assert.equal(answer.headers.get("x-only"), "own");
  assert.equal(answer.headers.get("x-leak"), null);
  await parts.edge.fetch("/?x-svc-share=link&a=1");
  assert.equal(parts.edge.records.at(-1)!.path, "/?x-svc-share=…&a=1");
});

Deno.test("no rule responds, caches or redirects for a visitor without access", async () => {
  const everything = (action: Action, id: string): Rule => ({ id, action });
  const actions: readonly Action[] = [
    { type: "redirect", target: "/page" },
    { type: "cache", ttlSeconds: 3600 } as Action,
    { type: "set_headers", headers: { "cache-control": "public, max-age=600", "x-rule": "1" } },
    { type: "rewrite", target: "/page" } as Action,
    { type: "allow" },
  ];
  for (const action of actions) {
    const parts = protectedEdge({ rules: [everything(action, "r")] });
    const cookie = await memberCookie(parts);
    for (let round = 0; round < 3; round++) {
      const inside = await parts.edge.fetch("/page", { headers: { cookie } });
      assert.ok([200, 302].includes(inside.status), action.type);
      assert.doesNotMatch(inside.headers.get("cache-control") ?? "", /public|max-age/);
      assert.equal(await statusOf(parts, "/page", {}), 401, action.type);
    }
  }
});

Deno.test("maintenance takes production down for everyone except members and allowed addresses", async () => {
  const maintenance = { allowCidrs: ["203.0.113.0/24"] };
  const parts = protectedEdge({ facts: { protection: "off", maintenance }, production: true });
  const { edge, access } = parts;
  for (const url of ["/", "/hooks/in.txt", "/?x-svc-share=link"]) {
    const down = await edge.fetch(url, { headers: PAGE });
    assert.equal(down.status, 503, url);
    assert.equal(down.headers.get("retry-after"), "300");
    assert.equal(down.headers.get("cache-control"), "no-store");
    assert.equal(down.headers.get("x-robots-tag"), null);
    assert.equal(await down.text(), "own maintenance", url);
  }
  assert.equal((await edge.fetch("/", { method: "POST" })).status, 503);
  assert.equal(
    (await edge.fetch("/", { from: "198.51.100.9" })).status,
    503,
    "an address allowed only for previews",
  );
  assert.equal((await edge.fetch("/", { from: "203.0.113.9" })).status, 200);
  assert.equal((await edge.fetch("/", { headers: { "x-svc-bypass": "the-key" } })).status, 200);
  const { callback, browserCookie } = await signIn(parts, {
    url: "http://site.test/_svc/access/sign-in?to=/page",
  });
  const back = await edge.fetch(callback, { headers: { cookie: browserCookie } });
  assert.equal(back.headers.get("location"), "http://site.test/page");
  const headers = { cookie: cookieOf(back, "svc_access") };
  const page = await edge.fetch("/page", { headers });
  assert.equal(await page.text(), "secret page");
  assert.equal(page.headers.get("cache-control"), "private, no-cache");
  // If the project is also protected, other visitors see no part of the site, not even its 503
  // page.
  access.replace({ ...FACTS, protection: "all", maintenance, version: "2" });
  const both = await edge.fetch("/", { headers: PAGE });
  assert.equal(both.status, 503);
  assert.doesNotMatch(await both.text(), /own maintenance/);
  assert.equal((await edge.fetch("/", { from: "203.0.113.9" })).status, 401);
  access.replace({ ...FACTS, protection: "off", version: "3" });
  assert.equal((await edge.fetch("/")).status, 200);

  const preview = protectedEdge({ facts: { protection: "off", maintenance } });
  assert.equal((await preview.edge.fetch("/")).status, 200);
});
