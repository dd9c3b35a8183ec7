/** Objects that a site shows: who sees them, what applies to them, and copies for previews. */
import assert from "node:assert/strict";
import { createProject, deploy, STATIC_MANIFEST, withPlatform } from "../../helpers/platform.ts";

/** A picture of one pixel. */
const PIXEL = Uint8Array.from(
  atob(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  ),
  (character) => character.charCodeAt(0),
);

const RULES = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [
    {
      id: "closed",
      condition: { path: { type: "prefix", value: "/_svc/blobs/photos/closed" } },
      action: { type: "deny" },
    },
  ],
};

Deno.test("a site shows public objects, with rules, ranges and converted images", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const put = async (key: string, body: BlobPart, environment = "production") => {
      const { json } = await platform.api("POST", "/v1/projects/shop/blobs/sign", {
        json: { key, method: "PUT", environment },
      });
      const { status } = await fetch(json.url, { method: "PUT", body: new Blob([body]) });
      assert.equal(status, 200);
    };
    await put("photos/a b.txt", "hello");
    await put("photos/closed", "hidden");
    await put("photos/pixel.png", PIXEL);
    await put("photos/page.html", "<script>alert(1)</script>");
    await put("letters/secret.txt", "secret");
    const manifest = { ...STATIC_MANIFEST, blobs: { public: ["photos/"], preview: "copy" } };
    const files = { "index.html": "home" };
    await deploy(platform, "shop", { files, manifest, rules: RULES });
    const get = (path: string, headers = {}) => platform.get("shop.localhost", path, headers);
    const shown = await get("/_svc/blobs/photos/a%20b.txt");
    assert.deepEqual([shown.status, shown.text], [200, "hello"]);
    assert.equal(shown.headers["content-type"], "text/plain; charset=utf-8");
    assert.equal(shown.headers["last-modified"], undefined);
    const etag = String(shown.headers.etag);
    const cases: readonly (readonly [string, Record<string, string>, number])[] = [
      ["photos/a%20b.txt", { "if-none-match": etag }, 304],
      ["photos/a%20b.txt", { range: "bytes=1-2" }, 206],
      ["photos/a%20b.txt", { range: "bytes=9-" }, 416],
      ["photos/closed", {}, 403],
      ["photos/none", {}, 404],
      ["letters/secret.txt", {}, 404],
      ["photos/../letters/secret.txt", {}, 404],
      ["photos/%2e%2e/letters/secret.txt", {}, 404],
      ["photos%2f..%2fletters/secret.txt", {}, 404],
    ];
    for (const [path, headers, status] of cases) {
      assert.equal((await get(`/_svc/blobs/${path}`, headers)).status, status, path);
    }
    const page = await get("/_svc/blobs/photos/page.html");
    assert.match(String(page.headers["content-security-policy"]), /sandbox/);
    const source = encodeURIComponent("/_svc/blobs/photos/pixel.png");
    const image = await get(`/_svc/image?url=${source}&w=640&f=webp`);
    assert.equal(image.status, 200, image.text);
    assert.match(String(image.headers["content-type"]), /^image\//);

    const { urls } = await deploy(platform, "shop", { files, manifest, prod: false });
    const preview = new URL(urls.unique).hostname;
    const copied = await platform.get(preview, "/_svc/blobs/photos/a%20b.txt");
    assert.deepEqual([copied.status, copied.text], [200, "hello"]);
    await put("photos/a b.txt", "changed");
    assert.equal((await platform.get(preview, "/_svc/blobs/photos/a%20b.txt")).text, "hello");
  }));
