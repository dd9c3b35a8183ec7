/** Tests the HTTP responses for broken, oversized and fake images. */
import assert from "node:assert/strict";
import { makeBomb, makePng } from "../../helpers/images.ts";
import { createProject, deploy, withPlatform } from "../../helpers/platform.ts";

const HOST = "shop.localhost";

Deno.test("broken images are served unchanged, and decompression bombs are refused", () =>
  withPlatform(async (platform) => {
    const broken = new Uint8Array([...makePng(40, 20).subarray(0, 33), ...new Uint8Array(200)]);
    const script = new TextEncoder().encode("<html><script>alert(1)</script></html>".padEnd(64));
    const polyglot = new Uint8Array([...makePng(40, 20).subarray(0, 8), ...script]);
    await createProject(platform, "shop");
    await deploy(platform, "shop", {
      files: {
        "good.png": makePng(40, 20),
        "broken.png": broken,
        "bomb.png": makeBomb(100_000, 100_000),
        "page.png": new TextEncoder().encode("<!doctype html><script>alert(1)</script>"),
        "page.svg.png": new TextEncoder().encode(
          '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        ),
        "polyglot.png": polyglot,
      },
    });
    const get = (path: string) =>
      platform.get(HOST, `/_svc/image?url=${path}&w=16`, { accept: "image/avif,text/html" });

    for (let round = 0; round < 2; round++) {
      const shown = await get("/broken.png");
      assert.equal(shown.status, 200, shown.text);
      assert.deepEqual(new Uint8Array(shown.body), broken);
      assert.equal(shown.headers["content-type"], "image/png");
      assert.equal(shown.headers["cache-control"], "public, max-age=60");
      assert.equal(shown.headers["x-svc-cache"], "BYPASS");
    }
    const bomb = await get("/bomb.png");
    assert.equal(bomb.status, 422);
    assert.match(bomb.text, /100000 × 100000 pixels/);
    for (const path of ["/page.png", "/page.svg.png"]) {
      const refused = await get(path);
      assert.equal(refused.status, 400, path);
      assert.ok(!refused.text.includes("alert"), path);
    }
    const odd = await get("/polyglot.png");
    assert.equal(odd.headers["content-type"], "image/png");
    assert.equal(odd.headers["x-content-type-options"], "nosniff");
    assert.match(String(odd.headers["content-security-policy"]), /default-src 'none'.*sandbox/);
    const good = await get("/good.png");
    assert.deepEqual([good.status, good.headers["content-type"]], [200, "image/avif"]);
  }));

Deno.test("many simultaneous requests for an image get the same bytes", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "photo.png": makePng(600, 400) } });
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => platform.get(HOST, "/_svc/image?url=/photo.png&w=384")),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ body }) => body.toString("base64"))).size, 1);
  }));
