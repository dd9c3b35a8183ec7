import assert from "node:assert/strict";
import { imageSettingsOfNext } from "./next_image_settings.ts";

/** A shortened `config.images` from a Next.js 16 build with default settings. */
const DEFAULTS = {
  deviceSizes: [640, 750],
  imageSizes: [32, 48],
  path: "/_next/image",
  loader: "default",
  domains: [],
  minimumCacheTTL: 14400,
  formats: ["image/webp"],
  dangerouslyAllowSVG: false,
  contentDispositionType: "attachment",
  localPatterns: [{ pathname: "**", search: "" }],
  remotePatterns: [],
  qualities: [75],
  unoptimized: false,
};

Deno.test("imageSettingsOfNext() adopts sizes, formats and the endpoint", () => {
  assert.deepEqual(imageSettingsOfNext({ ...DEFAULTS, localPatterns: undefined }), {
    images: {
      sizes: [640, 750, 32, 48],
      qualities: [75],
      formats: ["webp"],
      svg: false,
      minTtlSeconds: 14400,
      hosts: [],
      endpoints: [{ path: "/_next/image", style: "next" }],
    },
    dropped: [],
  });
});

Deno.test("imageSettingsOfNext() sets no paths if the local pattern matches any path", () => {
  assert.deepEqual(imageSettingsOfNext(DEFAULTS).images?.paths, undefined);
  const some = imageSettingsOfNext({ ...DEFAULTS, localPatterns: [{ pathname: "/assets/**" }] });
  assert.deepEqual(some.images?.paths, ["/assets/**"]);
});

Deno.test("imageSettingsOfNext() adopts remote patterns, and reports unsupported patterns", () => {
  const { images, dropped } = imageSettingsOfNext({
    ...DEFAULTS,
    formats: ["image/webp", "image/avif"],
    domains: ["old.example.com"],
    remotePatterns: [
      { protocol: "https", hostname: "**.example.com", pathname: "/photos/**" },
      { protocol: "http", hostname: "127.0.0.1", port: "9000" },
      { protocol: "https", hostname: "images-*.example.com" },
    ],
  });
  assert.deepEqual(images?.formats, ["webp", "avif"]);
  assert.deepEqual(images?.hosts, [
    "https://old.example.com",
    "http://old.example.com",
    "https://**.example.com/photos/**",
    "http://127.0.0.1:9000",
  ]);
  assert.deepEqual(dropped, ["https://images-*.example.com"]);
});

Deno.test("imageSettingsOfNext() returns nothing if Next.js does not convert the images", () => {
  for (const images of [{ unoptimized: true }, { loader: "custom" }, "nonsense"]) {
    const config = typeof images === "string" ? images : { ...DEFAULTS, ...images };
    assert.deepEqual(imageSettingsOfNext(config), { dropped: [] });
  }
});

Deno.test("imageSettingsOfNext() puts the endpoint below the base path", () => {
  const { path: _, ...config } = DEFAULTS;
  assert.deepEqual(imageSettingsOfNext(config, "/docs").images?.endpoints, [
    { path: "/docs/_next/image", style: "next" },
  ]);
});
