/**
 * Tests imports with the test cases that Netlify, Cloudflare and Vercel publish for their own
 * parsers (netlify/build: redirect-parser, headers-parser; cloudflare/workers-sdk: pages-shared;
 * vercel/vercel: routing-utils), by their effects on requests.
 */
import assert from "node:assert/strict";
import type { DescribedRequest } from "../request/facts.ts";
import { headersAt, leads } from "./_test_requests.ts";
import { importHeaders } from "./headers.ts";
import { importRedirects } from "./redirects.ts";
import { importVercelJson } from "./vercel_json.ts";

type Row = readonly [line: string, request: DescribedRequest | string, leads: string];

const NETLIFY: readonly Row[] = [
  ["/home\t /   # inline", "/home", "301 /"],
  ["/home /", "/home/", "301 /"],
  ["/home/ /", "/home", "301 /"],
  ["/blog/my-post-ads.php /blog/my-post#ads", "/blog/my-post-ads.php", "301 /blog/my-post#ads"],
  ["/10th http://www.10th.example/ 301", "/10th", "301 http://www.10th.example/"],
  ["/ page=news /news", "/?page=news", "301 /news?page=news"],
  ["/ page=news /news", "/?page=old", "-"],
  ["/* https://www.b.example/:splat 301!", "/a/b", "301 https://www.b.example/a/b"],
  ["/admin/* 200", "/admin/x", "/admin/x"],
  ["/api/* https://api.b.example/:splat 200", "/api/x", "https://api.b.example/x"],
  ["/ /china 302 Country=ch,tw", { url: "/", country: "TW" }, "302 /china"],
  ["/ /china 302 Country=ch,tw", { url: "/", country: "DE" }, "-"],
  ["/old /new 200 country=US", { url: "/old", country: "US" }, "/new"],
];

Deno.test("importRedirects() keeps the meaning of Netlify's lines", async (t) => {
  for (const [line, request, wanted] of NETLIFY) {
    await t.step(`${line} at ${JSON.stringify(request)}`, () => {
      assert.equal(leads(importRedirects(line), request), wanted);
    });
  }
});

Deno.test("importRedirects() prefers a file to an unforced rule, but not to a country rule", () => {
  assert.equal(leads(importRedirects("/a /b"), "/a", true), "-");
  assert.equal(leads(importRedirects("/a /b 301!"), "/a", true), "301 /b");
  const german = { url: "/", country: "DE" };
  assert.equal(leads(importRedirects("/ /de 302 Country=de"), german, true), "302 /de");
});

const NETLIFY_REFUSED: readonly string[] = [
  "http://hello.b.example/* http://www.hello.example/:splat",
  "/.netlify/functions/x /y",
  "https://a.example/.netlify/x /y",
  "/blog post=:post_id /blog/:post_id",
  "/admin/* /admin/:splat 200 Role=admin",
  "/ /china 302 Country=il Language=en",
  "/api/* https://api.example.com/:splat 200! Sign=API_SECRET",
  "/a",
  "/a 301",
  "/a key=value",
  "no-slash also-none",
  "/a /b 404",
];

Deno.test("importRedirects() skips and counts lines without an equivalent", async (t) => {
  for (const line of NETLIFY_REFUSED) {
    await t.step(line, () => {
      const { read, imported, unsupported, ruleSet } = importRedirects(`# x\n\n${line}\n`);
      assert.deepEqual([read, imported, ruleSet.rules], [1, 0, []]);
      assert.deepEqual(unsupported.map((one) => [one.line, one.text]), [[3, line]]);
    });
  }
});

Deno.test("importRedirects() reports that a rule cannot match only https", () => {
  const { imported, notes } = importRedirects("https://a.example/x https://b.example/y");
  assert.equal(imported, 1);
  assert.match(notes[0]?.reason ?? "", /^Matches http as well/);
});

const CLOUDFLARE: readonly Row[] = [
  ["/a /b 301", "/a", "301 /b"],
  ["/a /b", "/a/", "-"],
  ["/c /d", "/c", "302 /d"],
  ["/a /b?query=string 302", "/a", "302 /b?query=string"],
  ["/ext https://some.domain:1234/route?q=s#a", "/ext", "302 https://some.domain:1234/route?q=s#a"],
  ["/a /b#blah 302", "/a", "302 /b#blah"],
  ["/some%20page /somewhere%20else", "/some page", "302 /somewhere%20else"],
  ["/foo/* /bar/:splat", "/foo/", "302 /bar/"],
  ["/foo/* /bar/:splat", "/foo", "-"],
  ["/blog/:code/:name /b/:name/:code", "/blog/123/tricycle", "302 /b/tricycle/123"],
  ["/* /foo 200", "/x", "/foo"],
];

Deno.test("importRedirects() keeps the meaning of Cloudflare's lines", async (t) => {
  for (const [line, request, wanted] of CLOUDFLARE) {
    await t.step(`${line} at ${JSON.stringify(request)}`, () => {
      assert.equal(leads(importRedirects(line, { flavor: "cloudflare" }), request), wanted);
    });
  }
  for (const line of ["/c", "https://y.example https://n.example", "/a https://e.example/b 200"]) {
    const { read, imported } = importRedirects(line, { flavor: "cloudflare" });
    assert.deepEqual([read, imported], [1, 0], line);
  }
});

Deno.test("importHeaders() reads blocks as Cloudflare does", () => {
  const text = `
                /a
    Name         :           Value
    ! Place
  /b
    A: ABBA
    A: BABA
    Set-Cookie: test=cookie
    Set-Cookie: another=cookie
  https://e.example/blog
    c: c
  http://n.example/blog
    d: d
  /m/:value
    Link: </assets/:value/main.js>; rel=preload, </assets/:value/lang.js>
    I'm invalid!
    test:
`;
  const result = importHeaders(text, { flavor: "cloudflare" });
  assert.deepEqual(headersAt(result, "/a"), { name: "Value", place: "(removed)" });
  assert.deepEqual(headersAt(result, "/b"), { a: "ABBA, BABA", "set-cookie": "test=cookie" });
  assert.deepEqual(headersAt(result, "https://e.example/blog"), { c: "c" });
  assert.deepEqual(headersAt(result, "https://n.example/blog"), {});
  assert.deepEqual(headersAt(result, "/m/js"), {
    link: "</assets/js/main.js>; rel=preload, </assets/js/lang.js>",
  });
  assert.deepEqual(result.unsupported.map(({ line, reason }) => `${line} ${reason}`).sort(), [
    "12 Cloudflare accepts only https URLs",
    "13 The header belongs to no path",
    "16 The line is not a header",
    "17 The header has no value",
    "9 A rule sets one Set-Cookie header: several cannot be joined",
  ]);
  assert.deepEqual([result.read, result.imported], [12, 7]);
});

Deno.test("importHeaders() joins repeated names as Netlify does, and does not substitute captures", () => {
  const result = importHeaders("/p/:x\n  cache-control: max-age=0\n  cache-control: :x\n");
  assert.deepEqual(headersAt(result, "/p/y"), { "cache-control": "max-age=0, :x" });
});

const redirects = (...entries: readonly object[]) =>
  importVercelJson(JSON.stringify({ redirects: entries }));

const VERCEL:
  readonly (readonly [entry: object, request: DescribedRequest | string, leads: string])[] = [
    [{ source: "/some/old/path", destination: "/n" }, "/some/old/path", "308 /n"],
    [{ source: "/some/old/path", destination: "/n" }, "/some/old/path/", "-"],
    [
      { source: "/p/(.*)", destination: "https://f.example", statusCode: 302 },
      "/p/d/s",
      "302 https://f.example/",
    ],
    [
      { source: "/projects/:id/:action", destination: "/p.html" },
      "/projects/one/edit",
      "308 /p.html",
    ],
    [
      { source: "/old/:segment/path", destination: "/new/path/:segment" },
      "/old/x/path",
      "308 /new/path/x",
    ],
    [{ source: "/catchall/:hello*", destination: "/c/:hello*" }, "/catchall", "308 /c"],
    [{ source: "/catchall/:hello*", destination: "/c/:hello*" }, "/catchall/a/b", "308 /c/a/b"],
    [{ source: "/catchall/:hello*", destination: "/c/:hello*" }, "/catchall/", "-"],
    [{ source: "/catchall/:hello*", destination: "/c/:hello*" }, "/catchall/a/", "-"],
    [{ source: "/catchall/:hello*", destination: "/c" }, "/catchall/", "-"],
    [{ source: "/catchme/:id*", destination: "/api/user" }, "/catchme", "308 /api/user"],
    [{ source: "/another/:hello+", destination: "/a/:hello+" }, "/another", "-"],
    [{ source: "/another/:hello+", destination: "/a/:hello+" }, "/another/", "-"],
    [{ source: "/another/:hello+", destination: "/a/:hello+" }, "/another/a", "308 /a/a"],
    [{ source: "/:path*", destination: "/n/:path*" }, "/", "308 /n/"],
    [{ source: "/:path*", destination: "/n/:path*" }, "/a/", "-"],
    [{ source: "/all/(.*)", destination: "/a/$1" }, "/all/", "308 /a/"],
    [
      { source: "/optional/:id?", destination: "/api/optional/:id?" },
      "/optional",
      "308 /api/optional",
    ],
    [
      { source: "/optional/:id?", destination: "/api/optional/:id?" },
      "/optional/1",
      "308 /api/optional/1",
    ],
    [{ source: "/optional/:id?", destination: "/x" }, "/optionally", "-"],
    [{ source: "/(en|de)/about", destination: "/$1-about" }, "/de/about", "308 /de-about"],
    [{ source: "/(en|de)/about", destination: "/$1-about" }, "/fr/about", "-"],
    [{ source: "/:lang(en|de)/:page", destination: "/:page?l=:lang" }, "/en/x", "308 /x?l=en"],
    [{ source: "/a", destination: "/b", permanent: false }, "/a", "307 /b"],
    [
      {
        source: "/a",
        destination: "/eu",
        has: [{ type: "header", key: "x-vercel-ip-country", value: "(DE|FR)" }],
      },
      { url: "/a", country: "FR" },
      "308 /eu",
    ],
    [
      {
        source: "/a",
        destination: "/eu",
        has: [{ type: "header", key: "X-Vercel-IP-Country", value: "DE" }],
      },
      { url: "/a", headers: { "x-vercel-ip-country": "DE" } },
      "-",
    ],
  ];

Deno.test("importVercelJson() keeps the meaning of Vercel's entries", async (t) => {
  for (const [entry, request, wanted] of VERCEL) {
    await t.step(`${JSON.stringify(entry)} at ${JSON.stringify(request)}`, () => {
      const result = redirects(entry);
      assert.deepEqual(result.unsupported, []);
      assert.equal(leads(result, request), wanted);
    });
  }
});

const VERCEL_REFUSED: readonly object[] = [
  { source: "/next(\\.js)?", destination: "https://n.example" },
  { source: "/proxy-regex/([a-zA-Z]{1,})", destination: "https://f.example/$1" },
  { source: "/(.*)", has: [{ type: "host", value: "(?<s>.*)-t.example" }], destination: "/x" },
  { source: "/h", has: [{ type: "query", key: "username" }], destination: "/x" },
  {
    source: "/h",
    has: [{ type: "header", key: "x-vercel-ip-city", value: "Bern" }],
    destination: "/x",
  },
  {
    source: "/h",
    has: [{ type: "header", key: "x-a", value: "1" }, { type: "header", key: "X-A", value: "2" }],
    destination: "/x",
  },
  { source: "/(a|b)/(.*)", destination: "/$1/$2" },
];

Deno.test("importVercelJson() skips and counts entries without an equivalent", async (t) => {
  for (const entry of VERCEL_REFUSED) {
    await t.step(JSON.stringify(entry), () => {
      const { read, imported, unsupported } = redirects(entry);
      assert.deepEqual([read, imported, unsupported.length], [1, 0, 1]);
    });
  }
});

Deno.test("importVercelJson() inserts captures into header values, and refuses a duplicate name", () => {
  const of = (...headers: readonly object[]) =>
    importVercelJson(JSON.stringify({ headers: [{ source: "/:lang(en|de)/:page", headers }] }));
  const result = of({ key: "X-Page", value: ":page in :lang" }, { key: "X-Raw", value: "{page}" });
  assert.deepEqual(headersAt(result, "/de/x"), { "x-page": "x in de", "x-raw": "{page}" });
  const twice = of({ key: "Set-Cookie", value: "a=1" }, { key: "set-cookie", value: "b=2" });
  assert.deepEqual([twice.read, twice.imported], [1, 0]);
});
