/**
 * Tests objects that a site serves: who can see them, which settings apply to them, and how
 * previews copy them.
 */
import assert from "node:assert/strict";
import { deployServer, MANIFEST } from "../../helpers/compute_site.ts";
import { makePng } from "../../helpers/images.ts";
import { createProject, deploy, STATIC_MANIFEST, withPlatform } from "../../helpers/platform.ts";

/** A one-pixel picture. */
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
    {
      id: "policy",
      action: {
        type: "set_headers",
        headers: { "Content-Security-Policy": "default-src 'self'" },
      },
    },
  ],
};

Deno.test("a site serves public objects, with rules, ranges and converted images", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const put = async (key: string, body: BlobPart, type?: string) => {
      const { json } = await platform.api("POST", "/v1/projects/shop/blobs/sign", {
        json: { key, method: "PUT" },
      });
      const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
      const { status } = await fetch(json.url, { method: "PUT", headers, body: new Blob([body]) });
      assert.equal(status, 200);
    };
    await put("photos/a b.txt", "hello");
    await put("photos/closed", "hidden");
    await put("photos/closed/too", "hidden");
    await put("photos/pixel.png", PIXEL);
    await put("photos/page.html", "<script>alert(1)</script>");
    await put("photos/paper.pdf", "%PDF-1.7", "application/pdf");
    await put("photos/not.pdf", "<script>alert(1)</script>", "application/pdf,text/html");
    await put("letters/secret.txt", "secret");
    const manifest = { ...STATIC_MANIFEST, blobs: { public: ["photos/"], preview: "copy" } };
    const files = { "index.html": "home" };
    const live = await deploy(platform, "shop", { files, manifest, rules: RULES });
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
      ["photos/closed/too", {}, 403],
      ["photos%2Fclosed/too", {}, 404],
      ["photos%2fclosed%2ftoo", {}, 404],
      ["photos/none", {}, 404],
      ["letters/secret.txt", {}, 404],
      ["photos/../letters/secret.txt", {}, 404],
      ["photos/%2e%2e/letters/secret.txt", {}, 404],
      ["photos%2f..%2fletters/secret.txt", {}, 404],
    ];
    for (const [path, headers, status] of cases) {
      assert.equal((await get(`/_svc/blobs/${path}`, headers)).status, status, path);
    }
    // The site's policy must not replace the sandbox for objects, because visitors may have
    // uploaded them.
    for (
      const [name, isSandboxed] of [["page.html", true], ["not.pdf", true], [
        "paper.pdf",
        false,
      ]] as const
    ) {
      const { headers } = await get(`/_svc/blobs/photos/${name}`);
      const policy = String(headers["content-security-policy"]);
      assert.match(policy, /default-src 'self'/, policy);
      assert.equal(policy.includes("sandbox"), isSandboxed, `${name}: ${policy}`);
      assert.equal(headers["x-content-type-options"], "nosniff");
    }
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

    // Objects that are no longer public cannot be loaded, not even by pages that are still open
    // from the earlier deployment.
    await deploy(platform, "shop", { files, manifest: STATIC_MANIFEST });
    for (const query of ["", `?dpl=${live.id}`]) {
      assert.equal((await get(`/_svc/blobs/photos/a%20b.txt${query}`)).status, 404, query);
    }

    // An upload in progress must not recreate a deleted environment's store.
    const create = () =>
      platform.api("POST", "/v1/projects/shop/environments", {
        json: { name: "stage" },
      });
    await create();
    const { json: { url } } = await platform.api("POST", "/v1/projects/shop/blobs/sign", {
      json: { key: "late", method: "PUT", environment: "stage" },
    });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const late = fetch(url, { method: "PUT", body: readable });
    await writer.write(PIXEL);
    await platform.api("DELETE", "/v1/projects/shop/environments/stage");
    await writer.close();
    const refused = await late;
    assert.equal(refused.status, 404, await refused.text());
    await create();
    const { json: list } = await platform.api("GET", "/v1/projects/shop/blobs?environment=stage");
    assert.deepEqual(list.items, []);
  }));

/** Rules that cache everything for an hour, for a site whose server handles all paths. */
const KEEP_ALL = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [
    { id: "keep", action: { type: "cache", ttlSeconds: 3600 } },
    { id: "mark", action: { type: "set_headers", headers: { "x-boat": "kestrel" } } },
    {
      id: "short",
      condition: { path: { type: "exact", value: "/boat.png" } },
      action: { type: "rewrite", target: "/_svc/blobs/photos/boat.png" },
    },
  ],
};

Deno.test("the edge never serves a changed or deleted object from a cache", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const put = async (body: BlobPart) => {
      const { json } = await platform.api("POST", "/v1/projects/shop/blobs/sign", {
        json: { key: "photos/boat.png", method: "PUT" },
      });
      const headers = { "cache-control": "public, max-age=3600" };
      const { status } = await fetch(json.url, { method: "PUT", headers, body: new Blob([body]) });
      assert.equal(status, 200);
    };
    await deployServer(platform, "shop", {
      manifest: {
        ...MANIFEST,
        routes: [{ pattern: "^/.*$", layer: "app" }],
        blobs: { public: ["photos/"] },
      },
      rules: KEEP_ALL,
    });
    const image = (url: string) => `/_svc/image?url=${encodeURIComponent(url)}&w=640&f=webp`;
    const paths = ["/_svc/blobs/photos/boat.png", "/boat.png"];
    const asked = [...paths, ...paths.map(image)];
    const get = async (headers = {}) => {
      const answers = [];
      for (const path of asked) answers.push(await platform.get("shop.localhost", path, headers));
      return answers;
    };
    let before: (string | undefined)[] = [];
    assert.deepEqual((await get()).map(({ status }) => status), asked.map(() => 404));
    for (const seed of [1, 2, 1]) {
      await put(makePng(64, 48, seed));
      for (let round = 0; round < 2; round++) {
        const answers = await get();
        assert.deepEqual(answers.map(({ status }) => status), asked.map(() => 200));
        const etags = answers.map(({ headers }) => String(headers.etag));
        if (round === 0) {
          for (const [at, etag] of etags.entries()) assert.notEqual(etag, before[at]);
        } else assert.deepEqual(etags, before);
        before = etags;
        for (const { headers } of answers) {
          assert.equal(headers["x-boat"], "kestrel");
          assert.match(String(headers["cache-control"]), /max-age=3600/);
        }
      }
    }
    const [etag = ""] = before;
    for (const path of paths) {
      const ask = (headers: Record<string, string>) =>
        platform.get("shop.localhost", path, headers);
      assert.equal((await ask({ "if-none-match": etag })).status, 304);
      assert.equal((await ask({ "if-match": '"other"' })).status, 412);
      const part = await ask({ range: "bytes=1-3", "if-range": etag });
      assert.deepEqual([part.status, part.text], [206, "PNG"]);
      assert.equal((await ask({ range: "bytes=1-3", "if-range": '"other"' })).status, 200);
      const none = await ask({ range: "bytes=99999-" });
      assert.equal(none.status, 416);
      assert.match(String(none.headers["content-range"]), /^bytes \*\/\d+$/);
    }
    const gone = await platform.api(
      "DELETE",
      "/v1/projects/shop/blobs/object?key=photos%2Fboat.png",
    );
    assert.equal(gone.status, 204);
    assert.deepEqual((await get()).map(({ status }) => status), asked.map(() => 404));
  }));
