import assert from "node:assert/strict";
import { docsOf, PLATFORM_CODES } from "../../../src/contract/error_codes/platform_codes.ts";
import type { ErrorCode } from "../../../src/contract/common.ts";
import { CONTENTS } from "../../../src/documents/contents.ts";
import { withPlatform } from "../../helpers/platform.ts";

const NAMES = CONTENTS.flatMap(({ entries }) => entries.map(({ name }) => name));
const pageOf = (name: string): string => `/docs/${name === "api" ? "http-api" : name}`;

Deno.test("people and programs can read the platform's documentation", () =>
  withPlatform(async (platform) => {
    const get = (path: string) => platform.get("localhost", path);
    const pages = new Map<string, string>();
    for (const path of ["/docs", ...NAMES.map(pageOf)]) {
      const { status, headers, text } = await get(path);
      assert.equal(status, 200, path);
      assert.match(String(headers["content-security-policy"]), /^default-src 'none'; style-src/);
      assert.match(
        String(headers["content-security-policy"]),
        /; script-src 'self'; connect-src 'self'$/,
      );
      const others = text.replace(
        /<script src="\/assets\/docs-[0-9a-f]+\.js" defer=""><\/script>/,
        "",
      );
      assert.ok(!/<script|<iframe|<img|\sstyle=|src="/.test(others), path);
      pages.set(path, text);
    }
    for (const [path, text] of pages) {
      for (const [, link = ""] of text.matchAll(/href="([^"]*)"/g)) {
        if (link.startsWith("https://")) continue;
        const { pathname, hash } = new URL(link, `http://localhost${path}`);
        if (!pages.has(pathname)) {
          const { status, text } = await get(pathname);
          assert.equal(status, 200, `${path}: ${link}`);
          pages.set(pathname, text);
        }
        const part = decodeURIComponent(hash.slice(1));
        assert.ok(part === "" || pages.get(pathname)!.includes(`id="${part}"`), `${path}: ${link}`);
      }
    }
    for (const name of NAMES) {
      const { status, headers, text } = await get(`/docs/${name}.md`);
      assert.equal(status, 200, name);
      assert.equal(headers["content-type"], "text/markdown; charset=utf-8");
      assert.match(text, /^# /);
    }
    assert.equal((await get("/docs/http-api.md")).status, 200);
    for (
      const path of ["/docs/nothing", "/docs/nothing.md", "/docs/..%2fkv.md", "/docs/schema/x"]
    ) {
      assert.equal((await get(path)).status, 404, path);
    }
  }));

Deno.test("documents are compressed, and have a table of contents, links and a search", () =>
  withPlatform(async (platform) => {
    const get = (path: string, headers: Record<string, string> = {}) =>
      platform.get("localhost", path, headers);
    const { text } = await get("/docs/nextjs");
    assert.match(text, /On this page[^]*href="#set-variables"[^]*<h2 id="set-variables">/);
    assert.match(
      text,
      /rel="prev" href="\/docs\/quick-start"[^]*rel="next" href="\/docs\/frameworks"/,
    );
    assert.match(text, /<span class="hljs-/);
    const script = /<script src="([^"]+)"/.exec(text)![1]!;
    assert.equal((await get(script)).status, 200);

    const found = await get("/docs/search?q=rate+limit");
    assert.match(found.text, /Results for “rate limit”[^]*href="\/docs\/rules/);
    const none = await get("/docs/search?q=%3Cscript%3Ezzyzx");
    assert.match(none.text, /No results for “&lt;script&gt;zzyzx”/);
    assert.equal((await get(`/docs/search?q=${"a+".repeat(900)}`)).status, 200);
    assert.equal((await get("/docs/search")).status, 200);

    const packed = await get("/docs/nextjs", { "accept-encoding": "gzip" });
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.notEqual(packed.headers.etag, (await get("/docs/nextjs")).headers.etag);
    const etag = String(packed.headers.etag);
    const again = await get("/docs/nextjs", { "accept-encoding": "gzip", "if-none-match": etag });
    assert.equal(again.status, 304);
  }));

Deno.test("an error page explains what to do and links to the documentation for its code", () =>
  withPlatform(async (platform) => {
    const { json } = await platform.api("GET", "/v1/projects/none");
    const { hint, docs } = json;
    assert.deepEqual([hint, docs], [undefined, "/docs/errors#not_found"]);
    const { text } = await platform.get("localhost", "/docs/errors");
    for (const code of Object.keys(PLATFORM_CODES) as ErrorCode[]) {
      const { hash, pathname } = new URL(docsOf(code), "http://localhost");
      assert.equal(pathname, "/docs/errors");
      assert.ok(text.includes(`id="${hash.slice(1)}"`), code);
    }
  }));

Deno.test("llms.txt links to every document and is sent again only if it has changed", () =>
  withPlatform(async (platform) => {
    const index = await platform.get("localhost", "/llms.txt");
    assert.equal(index.headers["content-type"], "text/plain; charset=utf-8");
    const links = [...index.text.matchAll(/\]\((http[^)]+)\)/g)].map(([, link]) => link!);
    assert.ok(links.length > NAMES.length);
    for (const link of links) {
      const { pathname } = new URL(link);
      assert.equal((await platform.get("localhost", pathname)).status, 200, link);
    }
    const whole = await platform.get("localhost", "/llms-full.txt");
    assert.match(whole.text, /^# Frameworks$/m);
    assert.match(whole.text, /^# Error codes$/m);
    for (const path of ["/llms.txt", "/llms-full.txt", "/docs", "/docs/kv", "/docs/kv.md"]) {
      const first = await platform.get("localhost", path);
      const etag = String(first.headers.etag);
      const again = await platform.get("localhost", path, { "if-none-match": etag });
      assert.deepEqual([again.status, again.text, again.headers.etag], [304, "", etag], path);
      const other = await platform.get("localhost", path, { "if-none-match": '"x"' });
      assert.deepEqual([other.status, other.text], [200, first.text], path);
    }
  }));
