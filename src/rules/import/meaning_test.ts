/**
 * Tests the effect of imports on requests, and which entries are skipped because rules cannot
 * express them.
 */
import assert from "node:assert/strict";
import type { DescribedRequest } from "../request/facts.ts";
import { cachedFor, headersAt, leads } from "./_test_requests.ts";
import { importHeaders } from "./headers.ts";
import type { ImportResult } from "./import_result.ts";
import { importNetlifyToml } from "./netlify_toml.ts";
import { importRedirects } from "./redirects.ts";
import { importVercelJson } from "./vercel_json.ts";

const cloudflare = { flavor: "cloudflare" } as const;
const reasonsOf = ({ unsupported }: ImportResult) => unsupported.map(({ reason }) => reason);
const notesOf = ({ notes }: ImportResult) => notes.map(({ reason }) => reason);

Deno.test("importRedirects() skips what Cloudflare ignores or a glob cannot capture", () => {
  const rows: readonly (readonly [line: string, reason: RegExp])[] = [
    ["/dl/:name.zip /files/:name.zip 302", /":name", but a glob cannot capture part of a segment/],
    ["/a*b /c/:splat", /":splat", but a glob cannot capture part of a segment/],
    ["/a/*/b /c/:splat", /cannot capture part of a segment/],
    ["/*/a/* /c", /more than one \*/],
    ["/a?x=1 /b", /never matches a query/],
    ["/a#top /b", /never send the part after #/],
    ["/a /b # why", /ignores other lines/],
    ["/a /b 301!", /accepts a number as the status/],
    ["/a /b 304", /ignores the status 304/],
    ["/ /index.html", /ignores this line as a loop/],
    ["/* /foo/index.html 301", /ignores this line as a loop/],
    ["/a/:x /b/:y", /uses ":y", but the path does not capture it/],
    ["/a /.netlify/functions/f 200", /is a Netlify function.*docs\/functions\.md/],
  ];
  for (const [line, reason] of rows) {
    const result = importRedirects(line, cloudflare);
    assert.deepEqual([result.read, result.imported], [1, 0], line);
    assert.match(reasonsOf(result)[0] ?? "", reason);
  }
});

Deno.test("importRedirects() accepts a Cloudflare placeholder or * that no target refers to", () => {
  const dl = importRedirects("/dl/:name.zip /gone", cloudflare);
  assert.equal(leads(dl, "/dl/a.zip"), "302 /gone");
  assert.equal(leads(dl, "/dl/.zip"), "-");
  assert.equal(leads(dl, "/dl/a/b.zip"), "-");
  const inner = importRedirects("/a/*/z /gone", cloudflare);
  assert.equal(leads(inner, "/a/b/c/z"), "302 /gone");
  assert.equal(leads(inner, "/a/z"), "-");
  const part = importRedirects("/a*z /gone", cloudflare);
  assert.equal(leads(part, "/ab/cz"), "302 /gone");
});

Deno.test("importRedirects() reads Cloudflare's ignored /* /index.html 200 as a fallback", () => {
  const result = importRedirects("/* /index.html 200\n/app/* /app/index 200", cloudflare);
  assert.equal(leads(result, "/app.js", true), "-");
  assert.equal(leads(result, "/deep/link"), "/index.html");
  assert.equal(notesOf(result).length, 2);
  assert.match(notesOf(result)[0] ?? "", /fallback of a single-page app/);
});

Deno.test("importHeaders() joins values that several Cloudflare paths set", () => {
  const at = (text: string, url: string) => headersAt(importHeaders(text, cloudflare), url);
  const nested = "/*\n  X-Seen: all\n/sub/*\n  X-Seen: sub\n";
  assert.deepEqual(at(nested, "/sub/a"), { "x-seen": "all, sub" });
  assert.deepEqual(at(nested, "/a"), { "x-seen": "all" });
  const crossing = "/a/*\n  X: folder\n/*.js\n  X: script\n";
  assert.deepEqual(at(crossing, "/a/x.js"), { x: "folder, script" });
  assert.deepEqual(at(crossing, "/b/x.js"), { x: "script" });
  assert.deepEqual(at(crossing, "/a/x.css"), { x: "folder" });
  const removed = "/*\n  X: all\n/sub/*\n  ! X\n  X: sub\n/sub/deep/*\n  X: deep\n";
  assert.deepEqual(at(removed, "/sub/deep/a"), { x: "sub, deep" });
});

Deno.test("importHeaders() skips Cloudflare headers that rules cannot express", () => {
  const rows: readonly (readonly [text: string, reason: RegExp])[] = [
    ["/:a/x\n  X: :a\n/b/x\n  X: b", /contains a capture of "\/:a\/x"/],
    ["/*\n  Set-Cookie: a=1\n/b\n  Set-Cookie: b=2", /one Set-Cookie/],
    ["/a*m*\n  X: 3", /more than one \*/],
    ["/a/*/*\n  X: 3", /more than one \*/],
    ["/a\n  Cloudflare-CDN-Cache-Control: max-age=60", /write a cache rule/],
  ];
  for (const [text, reason] of rows) {
    assert.match(reasonsOf(importHeaders(text, cloudflare))[0] ?? "", reason, text);
  }
  const three = importHeaders("/a/*\n X: 1\n/b*\n X: 2\n/*.js\n X: 3", cloudflare);
  assert.deepEqual([three.read, three.imported], [3, 2]);
  assert.match(reasonsOf(three)[0] ?? "", /"\/a\/\*" and "\/b\*" set it for some/);
});

Deno.test("importHeaders() reads the first 100 Cloudflare paths", () => {
  const text = Array.from({ length: 101 }, (_, index) => `/p${index}\n  X: ${index}\n`).join("");
  const { imported, unsupported } = importHeaders(text, cloudflare);
  assert.equal(imported, 100);
  assert.deepEqual(unsupported.map(({ line }) => line), [201, 202]);
});

const headersOf = (path: string) =>
  importNetlifyToml(`[[headers]]\nfor = "${path}"\n[headers.values]\nX-A = "1"\n`);

Deno.test("importNetlifyToml() sets headers where Netlify does", () => {
  const rows: readonly (readonly [path: string, yes: string[], no: string[]])[] = [
    ["/*.jpg", ["/a.jpg", "/b/c.jpg", "/a.jpg/"], ["/a.png", "/jpg"]],
    ["/schemas/*.*.*", ["/schemas/a.b.c", "/schemas/x/a.b.c"], ["/schemas/a.b"]],
    ["/One", ["/One", "/one", "/one/", "/One/"], ["/", "/two"]],
    ["/one/", ["/one", "/one/"], ["/one/a"]],
    ["/admin/*", ["/admin", "/admin/", "/admin/a/b"], ["/adm", "/administrator"]],
    ["/a/*/b", ["/a/b", "/a/x/b", "/a/x/y/b/"], ["/a/x/c"]],
    ["/p/:id/x", ["/p/1/x", "/p/1/x/"], ["/p/x"]],
    ["/:lang/*", ["/de", "/de/", "/de/a/b"], ["/"]],
    ["/*", ["/", "/a/b"], []],
    ["/", ["/"], ["/a"]],
    ["/a/*/*", ["/a", "/a/b", "/a/b/c/"], ["/b"]],
    ["/a/b*c", ["/a/bc", "/a/bxc", "/a/bx/yc/"], ["/a/b"]],
    ["/a.", ["/a.", "/a./"], ["/ab"]],
    ["//a//b//", ["/a/b", "/a/b/"], ["/a"]],
  ];
  for (const [path, yes, no] of rows) {
    const result = headersOf(path);
    assert.deepEqual(result.unsupported, [], path);
    for (const url of yes) assert.deepEqual(headersAt(result, url), { "x-a": "1" }, url);
    for (const url of no) assert.deepEqual(headersAt(result, url), {}, url);
  }
  assert.match(notesOf(headersOf("/One"))[0] ?? "", /ignores the case/);
  assert.match(reasonsOf(headersOf("/dl/x:name"))[0] ?? "", /matches a whole segment/);
});

Deno.test("importRedirects() never redirects a Netlify path to an incomplete file name", () => {
  const result = importRedirects("/posts/* /posts/:splat.html 200!");
  assert.equal(leads(result, "/posts/a/b"), "/posts/a/b.html");
  for (const path of ["/posts", "/posts/", "/posts/a/"]) assert.equal(leads(result, path), "-");
  assert.match(notesOf(result)[0] ?? "", /ends with a slash/);
  const named = importRedirects("/n/* /b/:splat?from=:splat");
  assert.equal(leads(named, "/n"), "301 /b/?from=");
});

Deno.test("importRedirects() skips what only Netlify can serve or match", () => {
  for (
    const [line, reason] of [
      ["/api/* /.netlify/functions/:splat 200", /is a Netlify function/],
      ["/img/* /.netlify/images?url=/:splat 200", /is a Netlify service/],
      ["/a/:x /b/:y", /uses ":y"/],
      ["/dl/:name.zip /f/:name.zip", /matches a whole segment/],
      ["/a?x=1 /b", /never matches a query/],
    ] as const
  ) {
    const result = importRedirects(line);
    assert.equal(result.imported, 0, line);
    assert.match(reasonsOf(result)[0] ?? "", reason);
  }
});

const vercel = (config: object) => importVercelJson(JSON.stringify(config));
const rewrite = (source: string, destination: string) =>
  vercel({ rewrites: [{ source, destination }] });
const redirect = (source: string, destination: string) =>
  vercel({ redirects: [{ source, destination }] });

type Row = readonly [result: ImportResult, request: DescribedRequest | string, leads: string];

Deno.test("importVercelJson() resolves to the same targets as Vercel", async (t) => {
  const app = rewrite("/((?!api/).*)", "/index.html");
  const inner = rewrite("/docs/:page((?!internal\\.).*)", "/d/:page");
  const rows: readonly Row[] = [
    [app, "/", "/index.html"],
    [app, "/a/b", "/index.html"],
    [app, "/api", "/index.html"],
    [app, "/api/x", "-"],
    [inner, "/docs/a/b", "/d/a/b"],
    [inner, "/docs/internal.html", "-"],
    [rewrite("/((?!health$).*)", "/i"), "/health", "-"],
    [rewrite("/((?!health$).*)", "/i"), "/healthy", "/i"],
    [rewrite("/projects/:id/edit", "/projects.html"), "/projects/7/edit", "/projects.html?id=7"],
    [rewrite("/p/:id/:tab", "/p.html?id=:id"), "/p/7/x", "/p.html?id=7&tab=x"],
    [rewrite("/p/:id/:tab", "/p/:id.html"), "/p/7/x", "/p/7.html"],
    [rewrite("/app/:path*", "/app.html#x"), "/app/a/b", "/app.html?path=a/b"],
    [rewrite("/(en|de)/x", "/x.html"), "/de/x", "/x.html"],
    [rewrite("/:lang(en|de)/x", "/x.html"), "/de/x", "/x.html?lang=de"],
    [redirect("/projects/:id/edit", "/projects.html"), "/projects/7/edit", "308 /projects.html"],
    [redirect("/e/:path*", "/f/:path*"), "/e", "308 /f"],
    [redirect("/e/:path*", "/f/:path*"), "/e/a/b", "308 /f/a/b"],
    [redirect("/e/:path*", "/f/:path*/g"), "/e", "308 /f/g"],
    [redirect("/e/:path*", "https://f.example/:path*"), "/e", "308 https://f.example/"],
    [redirect("/e/:path*", "/:path*?from=e"), "/e", "308 /?from=e"],
    [redirect("/e/:path*", "/f/:path*?was=:path*"), "/e", "308 /f?was="],
    [redirect("/a/:id?", "/b/:id?.html"), "/a", "308 /b.html"],
    [redirect("/a/:id?", "/b/:id?.html"), "/a/1", "308 /b/1.html"],
    [redirect("/a/{:x}", "/b/{:x}.html"), "/a/1", "308 /b/1.html"],
    [redirect("/a/:x/:y", "/b/$2/$1"), "/a/1/2", "308 /b/2/1"],
    [redirect("/blog(.*)", "/news"), "/blog/a", "308 /news"],
    [redirect("/blog(.*)", "/news"), "/blo", "-"],
    [redirect("/(.*)\\.php", "/gone"), "/a/b.php", "308 /gone"],
    [redirect("/a\\(b\\)", "/b"), "/a(b)", "308 /b"],
    [redirect("/(.*)\\.(js|css)", "/gone"), "/a/b.css", "308 /gone"],
    [redirect("/(.*)\\.(js|css)", "/gone"), "/a/b.cs", "-"],
    [redirect("/img/:name.:type(png|jpg)", "/new?as=:type"), "/img/a.jpg", "308 /new?as=jpg"],
    [redirect("/:a-:b", "/c"), "/x-y", "308 /c"],
  ];
  for (const [index, [result, request, wanted]] of rows.entries()) {
    await t.step(`row ${index + 1}: ${wanted}`, () => {
      assert.deepEqual(result.unsupported, []);
      assert.equal(leads(result, request), wanted);
    });
  }
});

Deno.test("importVercelJson() skips what rules cannot express, with the reason", () => {
  const rows: readonly (readonly [result: ImportResult, reason: RegExp])[] = [
    [rewrite("/((?!api|assets).*)", "/index.html"), /can exclude only one path/],
    [rewrite("/((?!.*\\.).*)", "/index.html"), /no equivalent in a glob/],
    [redirect("/a/:x", "/b/:y"), /uses ":y"/],
    [redirect("/:x/(en|de)", "/$1"), /numbered reference after \(a\|b\)/],
    [redirect("/a{/:x}?", "/b"), /no equivalent in a glob/],
    [redirect("/a/:x", "/b{/:x}"), /group in braces/],
    [redirect("/dl/:name.zip", "/f/:name.zip"), /cannot capture part of a segment/],
    [redirect("/a/(.*)/b", "/c/$1"), /uses "\$1", but a glob cannot capture it/],
    [
      vercel({
        rewrites: [{
          source: "/((?!api/).*)",
          destination: "/i",
          missing: [{ type: "header", key: "x", value: "1" }],
        }],
      }),
      /can have only one exclusion/,
    ],
    [vercel({ redirects: {} }), /"redirects" is not a list/],
    [vercel({ trailingSlash: "no" }), /Use true or false/],
  ];
  for (const [result, reason] of rows) {
    assert.equal(result.imported, 0, String(reason));
    assert.match(reasonsOf(result)[0] ?? "", reason);
  }
});

const withHeaders = (...entries: readonly (readonly [string, Record<string, string>])[]) =>
  vercel({
    headers: entries.map(([source, values]) => ({
      source,
      headers: Object.entries(values).map(([key, value]) => ({ key, value })),
    })),
  });

Deno.test("importVercelJson() gives s-maxage to the edge, and the rest to clients", () => {
  const feed = withHeaders(["/feed", { "Cache-Control": "s-maxage=60, stale-while-revalidate=9" }]);
  assert.deepEqual(cachedFor(feed, "/feed"), { ttlSeconds: 60, swrSeconds: 9 });
  assert.deepEqual(headersAt(feed, "/feed"), {
    "cache-control": "public, max-age=0, must-revalidate",
  });
  const both = withHeaders(["/feed", { "Cache-Control": "max-age=5, s-maxage=60", "X-A": "1" }]);
  assert.deepEqual(headersAt(both, "/feed"), { "cache-control": "max-age=5", "x-a": "1" });
  const targeted = withHeaders(["/feed", {
    "Vercel-CDN-Cache-Control": "max-age=30",
    "Cache-Control": "max-age=5",
  }]);
  assert.deepEqual(cachedFor(targeted, "/feed"), { ttlSeconds: 30, swrSeconds: 0 });
  assert.deepEqual(headersAt(targeted, "/feed"), { "cache-control": "max-age=5" });
});

Deno.test("importVercelJson() lets the last entry decide what is cached", () => {
  const result = withHeaders(
    ["/first", { "Cache-Control": "no-store" }],
    ["/(.*)", { "Cache-Control": "s-maxage=60" }],
    ["/api/(.*)", { "Cache-Control": "no-store" }],
    ["/api/news", { "Cache-Control": "s-maxage=10" }],
  );
  assert.deepEqual(cachedFor(result, "/first"), { ttlSeconds: 60, swrSeconds: 0 });
  assert.equal(cachedFor(result, "/api/x"), "bypass");
  assert.deepEqual(cachedFor(result, "/api/news"), { ttlSeconds: 10, swrSeconds: 0 });
  assert.equal(cachedFor(withHeaders(["/a", { "Cache-Control": "no-store" }]), "/a"), undefined);
});
