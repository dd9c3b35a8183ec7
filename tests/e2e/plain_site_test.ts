/** Tests every file and every rule of the plain site over HTTP. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { listFiles, ROOT } from "../../scripts/_source_files.ts";
import { copySite, urlOf, withSandbox } from "../helpers/sandbox.ts";

const PLAIN = join(ROOT, "fixtures", "sites", "plain");
const HOST = "kestrel-hut.localhost";

/** Files in the folder that are not part of the site or are blocked by a rule. */
const ELSEWHERE = /^(?:svc\.toml|svc\.rules\.toml|notes\/)/;

for (const name of ["hut.css", "daylight.js"]) {
  Deno.test(`the compressed variants of ${name} have the same content`, async () => {
    const path = join(PLAIN, "assets", name);
    const original = await Deno.readTextFile(path);
    assert.equal(brotliDecompressSync(await Deno.readFile(`${path}.br`)).toString(), original);
    assert.equal(gunzipSync(await Deno.readFile(`${path}.gz`)).toString(), original);
  });
}

Deno.test("the plain site is served byte for byte with its rules", async (t) => {
  await withSandbox(async (box) => {
    await copySite("plain", box.site);
    await box.start();
    await box.json(["init", "--create"]);
    await box.json(["deploy", "--prod"]);

    for (const file of listFiles(PLAIN).filter((path) => !ELSEWHERE.test(path))) {
      await t.step(`/${file}`, async () => {
        const page = await box.page(HOST, urlOf(file));
        assert.equal(page.status, 200);
        assert.deepEqual(page.body, await Deno.readFile(join(PLAIN, file)));
      });
    }

    const pages: readonly (readonly [string, number, RegExp])[] = [
      ["/", 200, /Forty beds/],
      ["/walks/", 200, /Two lakes/],
      ["/walks/two-lakes", 200, /less cold/],
      ["/beds", 200, /Bench by the stove/],
      ["/nowhere", 404, /not on the map/],
      ["/svc.toml", 404, /not on the map/],
      ["/svc.rules.toml", 404, /not on the map/],
      ["/%2e%2e/%2e%2e/etc/passwd", 404, /not on the map/],
      ["/notes/winter.txt", 403, /^(?!.*woodshed)/s],
      ["/notes%2fwinter.txt", 404, /^(?!.*woodshed)/s],
      ["/./notes//winter.txt", 403, /^(?!.*woodshed)/s],
    ];
    for (const [path, status, text] of pages) {
      await t.step(`${path} responds ${status}`, async () => {
        const page = await box.page(HOST, path);
        assert.equal(page.status, status);
        assert.match(page.text, text);
      });
    }

    await t.step("an old URL redirects to the new one and keeps its query", async () => {
      const page = await box.page(HOST, "/touren/two-lakes?from=map");
      assert.equal(page.status, 301);
      assert.equal(page.headers.location, "/walks/two-lakes?from=map");
    });

    await t.step("rules set headers", async () => {
      const page = await box.page(HOST, "/assets/hut.css");
      assert.equal(page.headers["x-content-type-options"], "nosniff");
      assert.equal(page.headers["cache-control"], "public, max-age=86400");
      assert.equal((await box.page(HOST, "/")).headers["referrer-policy"], "same-origin");
    });

    for (
      const [encoding, decode] of [["br", brotliDecompressSync], ["gzip", gunzipSync]] as const
    ) {
      await t.step(`a client that accepts ${encoding} gets that variant`, async () => {
        const headers = { "accept-encoding": encoding };
        const page = await box.page(HOST, "/assets/hut.css", { headers });
        assert.equal(page.headers["content-encoding"], encoding);
        assert.match(page.headers.vary ?? "", /accept-encoding/i);
        assert.match(page.headers["content-type"] ?? "", /^text\/css/);
        assert.equal(
          decode(page.body).toString(),
          await Deno.readTextFile(join(PLAIN, "assets", "hut.css")),
        );
      });
    }

    await t.step("a page that the client has already cached is not sent again", async () => {
      const { etag } = (await box.page(HOST, "/")).headers;
      const page = await box.page(HOST, "/", { headers: { "if-none-match": String(etag) } });
      assert.deepEqual([page.status, page.text], [304, ""]);
    });

    await t.step("only the requested range is sent, and HEAD gets no body", async () => {
      const range = await box.page(HOST, "/robots.txt", { headers: { range: "bytes=0-9" } });
      assert.deepEqual([range.status, range.text], [206, "User-agent"]);
      const head = await box.page(HOST, "/robots.txt", { method: "HEAD" });
      assert.deepEqual([head.status, head.headers["content-length"], head.text], [200, "23", ""]);
      assert.equal((await box.page(HOST, "/", { method: "POST" })).status, 405);
    });

    await t.step("an unknown host returns a 404", async () => {
      assert.equal((await box.page("nobody.localhost", "/")).status, 404);
    });
  });
});
