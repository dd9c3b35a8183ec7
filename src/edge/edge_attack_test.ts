import assert from "node:assert/strict";
import fc from "fast-check";
import { testEdge, testSite } from "./_test_site.ts";

const SECRET = "the secret";
const FILES = {
  "index.html": "home",
  "admin/secret.txt": SECRET,
  "a/b.txt": "b",
  "docs/x.html": "x",
};

const { site: open } = testSite(FILES);
const { site: guarded } = testSite(FILES, {
  rules: [{
    id: "guard",
    condition: { path: { type: "prefix", value: "/admin" } },
    action: { type: "deny" },
  }],
});

/** Attempts to escape the site's folder. None of them may return a file. */
const traversals = [
  "/../../etc/passwd",
  "/..%2f..%2fetc/passwd",
  "/%2e%2e/%2e%2e/etc/passwd",
  "/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
  "/..%5c..%5cetc/passwd",
  "/..\\..\\etc\\passwd",
  "/%252e%252e/%252e%252e/etc/passwd",
  "/%c0%ae%c0%ae/etc/passwd",
  "/%c0%af..%c0%afetc/passwd",
  "/%e0%80%ae%e0%80%ae/etc/passwd",
  "/....//....//etc/passwd",
  "/..;/..;/etc/passwd",
  "/.%00./etc/passwd",
  "/..%00/etc/passwd",
  "/a/..%2f..%2fetc/passwd",
  "//etc/passwd",
  "///etc/passwd",
  "/file:///etc/passwd",
  "/C:%5cWindows%5cwin.ini",
  "/\u2025/\u2025/etc/passwd",
  "/%u002e%u002e/etc/passwd",
  "/a%2fb.txt",
  "/a%5cb.txt",
  "/%2fa/b.txt",
  "/a/b.txt%00",
  "/a/b.txt%20",
  "/a/b.txt.",
  "/a/b.txt/",
  "/a/b.txt::$DATA",
  "/A/B.TXT",
];

for (const path of traversals) {
  Deno.test(`edge serves no file for a traversal: ${path}`, async () => {
    const response = await testEdge(open).fetch(path);
    assert.ok(response.status === 404 || response.status === 400, String(response.status));
    assert.doesNotMatch(await response.text(), /^b$|root:/);
  });
}

/** Spellings of `/admin/secret.txt`. Every spelling that finds the file must match the rule. */
const spellings = [
  "/admin/secret.txt",
  "//admin/secret.txt",
  "/./admin/secret.txt",
  "/x/../admin/secret.txt",
  "/%61dmin/secret.txt",
  "/%61%64%6d%69%6e/secret.txt",
  "/admin//secret.txt",
  "/admin/%73ecret.txt",
  "/admin/./secret%2etxt",
  "/docs/%2e%2e/admin/secret.txt",
  "/docs/.%2E/admin/secret.txt",
  "/docs\\..\\admin\\secret.txt",
  "/\\admin/secret.txt",
  "/admin\\secret.txt",
  "/%2561dmin/secret.txt",
  "/admin%2Fsecret.txt",
  "/ADMIN/secret.txt",
  "/admin;x=1/secret.txt",
  "/admin/secret.txt?x",
  "/admin/secret.txt#x",
  "/admin%00/secret.txt",
  "/%c1%a1dmin/secret.txt",
  "/a/../../../admin/secret.txt",
];

for (const path of spellings) {
  Deno.test(`no spelling of a path bypasses a deny rule: ${path}`, async () => {
    const response = await testEdge(guarded).fetch(path);
    assert.notEqual(response.status, 200);
    const unguarded = await testEdge(open).fetch(path);
    if (unguarded.status === 200) assert.equal(response.status, 403);
  });
}

const letter = (character: string) =>
  fc.constantFrom(
    character,
    `%${character.charCodeAt(0).toString(16)}`,
    `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    `%25${character.charCodeAt(0).toString(16)}`,
  );
const spelled = (word: string) => fc.tuple(...[...word].map(letter)).map((parts) => parts.join(""));
const separator = fc.constantFrom(
  "/",
  "//",
  "/./",
  "\\",
  "/x/../",
  "/%2e/",
  "/x/%2E%2e/",
  "%2f",
  "%5c",
);

Deno.test("no generated spelling of a path bypasses a deny rule", async () => {
  const path = fc.tuple(separator, spelled("admin"), separator, spelled("secret"), spelled(".txt"))
    .map((parts) => parts.join("")).map((text) => text.startsWith("/") ? text : `/${text}`);
  await fc.assert(
    fc.asyncProperty(path, async (text) => {
      const response = await testEdge(guarded).fetch(text);
      assert.notEqual(response.status, 200);
      assert.doesNotMatch(await response.text(), /the secret/);
    }),
    { numRuns: 1000 },
  );
});

const { site: capturing } = testSite(FILES, {
  rules: [
    {
      id: "redirect",
      condition: { path: { type: "glob", value: "/go/{rest...}" } },
      action: { type: "redirect", target: "/{rest}" },
    },
    {
      id: "header",
      condition: { path: { type: "glob", value: "/tag/{name}" } },
      action: { type: "set_headers", headers: { "x-tag": "{name}" } },
    },
  ],
});

const openRedirects = [
  "/go//evil.test",
  "/go///evil.test",
  "/go/%2fevil.test",
  "/go/%2F%2Fevil.test",
  "/go/%5cevil.test",
  "/go/\\evil.test",
  "/go/\\\\evil.test",
  "/go/https://evil.test",
  "/go/%09/evil.test",
  "/go/.//evil.test",
  "/go/x/..//evil.test",
  "/go/@evil.test",
  "/go/javascript:alert(1)",
  "/go/%0d%0alocation:%20//evil.test",
];

for (const path of openRedirects) {
  Deno.test(`a capture never makes the edge redirect to another site: ${path}`, async () => {
    const response = await testEdge(capturing).fetch(path);
    const location = response.headers.get("location");
    if (location === null) return;
    assert.equal(new URL(location, "http://site.test/").origin, "http://site.test");
  });
}

const injections = [
  "%0d%0aset-cookie:%20a=b",
  "%0aset-cookie:%20a=b",
  "\r\nset-cookie: a=b",
  "%E5%98%8A%E5%98%8Dset-cookie:a=b",
  "x%00y",
  "\u{1f600}",
  "%20",
  "\u0130\u0131",
];

for (const name of injections) {
  Deno.test(`edge writes only visible ASCII into a header: ${JSON.stringify(name)}`, async () => {
    const response = await testEdge(capturing).fetch(`/tag/${name}`);
    assert.equal(response.headers.get("set-cookie"), null);
    assert.match(response.headers.get("x-tag") ?? "", /^[\x21-\x7e]*$/);
    assert.ok(response.status < 500);
  });
}

Deno.test("edge handles any path and any field without an error", async () => {
  const field = fc.constantFrom(
    "range",
    "if-none-match",
    "accept-encoding",
    "cookie",
    "user-agent",
  );
  const value = fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, "?"));
  await fc.assert(
    fc.asyncProperty(fc.string(), field, value, async (path, name, text) => {
      const edge = testEdge(capturing);
      const response = await edge.fetch(`/${path}`, { headers: { [name]: text } });
      assert.ok(response.status < 500);
      assert.deepEqual(edge.errors, []);
      assert.equal(response.headers.get("x-svc-request-id"), "r1");
    }),
    { numRuns: 300 },
  );
});

const { site: internal } = testSite(FILES, {
  rules: [{
    id: "only the office",
    condition: { not: { sourceIpCidrs: ["198.51.100.0/24"] } },
    action: { type: "deny" },
  }],
});

const spoofs: readonly (readonly [
  name: string,
  from: string,
  headers: Record<string, string>,
  status: number,
])[] = [
  ["the office itself", "198.51.100.7", {}, 200],
  [
    "X-Forwarded-For from an untrusted address",
    "192.0.2.9",
    { "x-forwarded-for": "198.51.100.7" },
    403,
  ],
  ["Forwarded from an untrusted address", "192.0.2.9", { forwarded: "for=198.51.100.7" }, 403],
  ["X-Real-IP from an untrusted address", "192.0.2.9", { "x-real-ip": "198.51.100.7" }, 403],
  ["the office through the proxy", "10.0.0.1", { "x-forwarded-for": "198.51.100.7" }, 200],
  [
    "a spoofed first hop through the proxy",
    "10.0.0.1",
    { "x-forwarded-for": "198.51.100.7, 192.0.2.9" },
    403,
  ],
  [
    "a header that the proxy does not write",
    "10.0.0.1",
    { "x-forwarded-for": "192.0.2.9", forwarded: "for=198.51.100.7" },
    403,
  ],
];

for (const [name, from, headers, status] of spoofs) {
  Deno.test(`edge trusts no spoofed address: ${name}`, async () => {
    const edge = testEdge(internal, { trustProxy: ["10.0.0.0/8"] });
    assert.equal((await edge.fetch("/", { from, headers })).status, status);
  });
}

Deno.test("edge trusts country, ASN and host only from a trusted proxy", async () => {
  const { site } = testSite(FILES, {
    rules: [
      {
        id: "1",
        condition: { geo: ["DE"] },
        action: { type: "set_headers", headers: { "x-geo": "DE" } },
      },
      {
        id: "2",
        condition: { asn: [64496] },
        action: { type: "set_headers", headers: { "x-asn": "y" } },
      },
    ],
  });
  const headers = { "cf-ipcountry": "de", "x-geo-asn": "AS64496", "x-forwarded-host": "site.test" };
  const edge = testEdge(site, { trustProxy: ["10.0.0.0/8"] });
  const trusted = await edge.fetch("http://inner.test/", { from: "10.0.0.1", headers });
  assert.deepEqual(["x-geo", "x-asn"].map((name) => trusted.headers.get(name)), ["DE", "y"]);
  const stranger = await edge.fetch("/", { from: "192.0.2.9", headers });
  assert.deepEqual(["x-geo", "x-asn"].map((name) => stranger.headers.get(name)), [null, null]);
  assert.equal(
    (await edge.fetch("http://inner.test/", { from: "192.0.2.9", headers })).status,
    404,
  );
});

Deno.test("edge refuses any target over 8 KiB, without echoing it", async () => {
  const path = `/${"a".repeat(4000)}?${"b".repeat(4191)}`;
  for (const site of [open, guarded]) {
    assert.equal((await testEdge(site).fetch(path)).status, 404);
    const answer = await testEdge(site).fetch(`${path}b`);
    assert.equal(answer.status, 414);
    assert.doesNotMatch(await answer.text(), /aaa|bbb/);
  }
});
