/** Tests sizes, formats, caching and conditions of `/_svc/image` over HTTP. */
import assert from "node:assert/strict";
import { decodedSize, makeAnimatedPng, makePng, openEngine } from "../../helpers/images.ts";
import { createProject, deploy, rawRequest, withPlatform } from "../../helpers/platform.ts";

const HOST = "shop.localhost";
const BROWSER = { accept: "image/avif,image/webp,image/apng,image/*,*/*;q=0.8" };
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

/**
 * Returns the headers that `Vary` lists, except for the encoding, which the compiled program's
 * runtime adds.
 */
const varyOf = (field: string | string[] | undefined): string[] =>
  String(field ?? "").toLowerCase().split(/\s*,\s*/)
    .filter((name) => name !== "" && name !== "accept-encoding");

Deno.test("images are converted to the requested size and an accepted format", () =>
  withPlatform(async (platform) => {
    await using engine = openEngine();
    await createProject(platform, "shop");
    await deploy(platform, "shop", {
      files: {
        "index.html": "home",
        "photo.png": makePng(1000, 500),
        "_astro/photo-B3x9Zk2Q.png": makePng(900, 300, 1),
        "moving.png": makeAnimatedPng(40, 20),
        "drawing.svg": SVG,
        "note.txt": "no image",
      },
    });
    const image = (query: string, headers: Record<string, string> = {}) =>
      platform.get(HOST, `/_svc/image?${query}`, headers);

    const rows: readonly (readonly [string, Record<string, string>, string, number])[] = [
      ["url=/photo.png&w=640", BROWSER, "image/avif", 640],
      ["url=/photo.png&w=640", { accept: "image/webp,*/*" }, "image/webp", 640],
      ["url=/photo.png&w=640", { accept: "*/*" }, "image/png", 640],
      ["url=/photo.png&w=640&f=jpeg", BROWSER, "image/jpeg", 640],
      ["url=/photo.png&w=256&q=10&f=webp", {}, "image/webp", 256],
      ["url=/photo.png&w=3840&f=webp", {}, "image/webp", 1000],
      ["url=%2Fphoto.png&w=64&q=75", BROWSER, "image/avif", 64],
      [
        `url=${encodeURIComponent(`http://${HOST}:${platform.port}/photo.png`)}&w=32`,
        {
          ...BROWSER,
          host: `${HOST}:${platform.port}`,
        },
        "image/avif",
        32,
      ],
    ];
    for (const [query, headers, type, width] of rows) {
      const { status, headers: got, body, text } = await image(query, headers);
      assert.equal(status, 200, `${query}: ${text.slice(0, 200)}`);
      assert.equal(got["content-type"], type, query);
      assert.deepEqual(await decodedSize(engine, body), [width, Math.round(width / 2)], query);
      assert.deepEqual(varyOf(got.vary), query.includes("f=") ? [] : ["accept"], query);
      assert.equal(got["x-content-type-options"], "nosniff");
      assert.match(String(got["content-security-policy"]), /sandbox/);
      assert.match(String(got["content-disposition"]), /^inline; filename="photo\.\w+"$/);
    }

    const first = await image("url=/_astro/photo-B3x9Zk2Q.png&w=384", BROWSER);
    assert.equal(first.headers["x-svc-cache"], "MISS");
    assert.equal(first.headers["cache-control"], "public, max-age=31536000, immutable");
    const second = await image("url=/_astro/photo-B3x9Zk2Q.png&w=384", BROWSER);
    assert.equal(second.headers["x-svc-cache"], "HIT");
    assert.deepEqual(second.body, first.body);
    const etag = String(first.headers.etag);
    const third = await image("url=/_astro/photo-B3x9Zk2Q.png&w=384", {
      ...BROWSER,
      "if-none-match": etag,
    });
    assert.deepEqual([third.status, third.headers.etag, third.body.length], [304, etag, 0]);

    const head = await rawRequest(platform.port, {
      host: HOST,
      method: "HEAD",
      headers: BROWSER,
      path: "/_svc/image?url=/_astro/photo-B3x9Zk2Q.png&w=384",
    });
    assert.deepEqual([head.status, head.headers["content-length"], head.body.length], [
      200,
      String(first.body.length),
      0,
    ]);
    const post = await rawRequest(platform.port, {
      host: HOST,
      method: "POST",
      path: "/_svc/image?url=/photo.png&w=640",
    });
    assert.deepEqual([post.status, post.headers.allow], [405, "GET, HEAD"]);

    const moving = await image("url=/moving.png&w=16", BROWSER);
    assert.deepEqual([moving.status, moving.headers["content-type"]], [200, "image/png"]);
    assert.deepEqual(new Uint8Array(moving.body), makeAnimatedPng(40, 20));

    for (
      const [query, status] of [
        ["url=/photo.png", 400],
        ["w=640", 400],
        ["url=/photo.png&w=641", 400],
        ["url=/photo.png&w=0640", 400],
        ["url=/photo.png&w=640&q=101", 400],
        ["url=/photo.png&w=640&q=75&q=76", 400],
        ["url=/photo.png&w=640&f=gif", 400],
        ["url=/photo.png&w=640&x=1", 400],
        ["url=photo.png&w=640", 400],
        ["url=//other.test/photo.png&w=640", 400],
        ["url=/%5Cother.test/photo.png&w=640", 400],
        ["url=https://other.test/photo.png&w=640", 400],
        ["url=file:///etc/passwd&w=640", 400],
        ["url=data:image/png;base64,AAAA&w=640", 400],
        ["url=/_svc/image%3Furl=/photo.png%26w=640&w=640", 400],
        ["url=/drawing.svg&w=640", 400],
        ["url=/note.txt&w=640", 400],
        ["url=/missing.png&w=640", 404],
      ] as const
    ) {
      const answer = await image(query, BROWSER);
      assert.equal(answer.status, status, `${query}: ${answer.text}`);
      assert.ok(!answer.text.includes("script"), query);
    }
  }));

Deno.test("a project can specify sizes and sources, and turn off image conversion", () =>
  withPlatform(async (platform) => {
    const files = { "index.html": "home", "photo.png": makePng(400, 200), "drawing.svg": SVG };
    const manifest = (images: unknown) => ({
      version: 1,
      layers: [{ name: "static", target: "STATIC", directory: "." }],
      routes: [{ pattern: "^/.*$", layer: "static" }],
      images,
    });
    await createProject(platform, "shop");
    const image = (query: string) => platform.get(HOST, `/_svc/image?${query}`, BROWSER);

    await deploy(platform, "shop", {
      files,
      manifest: manifest({
        sizes: [100],
        qualities: [50],
        formats: ["webp"],
        svg: true,
        endpoints: [{ path: "/_next/image", style: "next" }],
      }),
    });
    const webp = await image("url=/photo.png&w=100&q=99");
    assert.deepEqual([webp.status, webp.headers["content-type"]], [200, "image/webp"]);
    assert.equal((await image("url=/photo.png&w=100&q=50")).headers["x-svc-cache"], "HIT");
    assert.equal((await image("url=/photo.png&w=640")).status, 400);
    const next = await platform.get(HOST, "/_next/image?url=%2Fphoto.png&w=100&q=75", BROWSER);
    assert.deepEqual([next.status, next.headers["content-type"]], [200, "image/webp"]);
    const svg = await image("url=/drawing.svg&w=100");
    assert.deepEqual([svg.status, svg.headers["content-type"]], [200, "image/svg+xml"]);
    assert.match(String(svg.headers["content-security-policy"]), /default-src 'none'.*sandbox/);
    assert.match(String(svg.headers["content-disposition"]), /^attachment/);

    await deploy(platform, "shop", { files, manifest: manifest({ enabled: false }) });
    assert.equal((await image("url=/photo.png&w=100")).status, 404);
  }));

Deno.test("an operator can turn off image conversion", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "photo.png": makePng(40, 20) } });
    assert.equal((await platform.get(HOST, "/_svc/image?url=/photo.png&w=16")).status, 404);
  }, { images: { off: true } }));
