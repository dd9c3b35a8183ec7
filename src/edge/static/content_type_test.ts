import assert from "node:assert/strict";
import { defaultCacheControl, IMMUTABLE, REVALIDATE } from "./cache_control.ts";
import { contentType } from "./content_type.ts";

const types: Readonly<Record<string, string>> = {
  "index.html": "text/html; charset=utf-8",
  "A/STYLE.CSS": "text/css; charset=utf-8",
  "app.js": "text/javascript; charset=utf-8",
  "app.mjs": "text/javascript; charset=utf-8",
  "data.json": "application/json; charset=utf-8",
  "app.js.map": "application/json; charset=utf-8",
  "site.webmanifest": "application/manifest+json; charset=utf-8",
  "robots.txt": "text/plain; charset=utf-8",
  "feed.xml": "text/xml",
  "logo.svg": "image/svg+xml",
  "favicon.ico": "image/x-icon",
  "font.woff2": "font/woff2",
  "app.wasm": "application/wasm",
  "photo.avif": "image/avif",
  "archive.tar.gz": "application/gzip",
  "unknown.zzz": "application/octet-stream",
  "noextension": "application/octet-stream",
  "a.dir/noextension": "application/octet-stream",
  ".well-known/apple-app-site-association": "application/json; charset=utf-8",
  "x.constructor": "application/octet-stream",
  "x.__proto__": "application/octet-stream",
};

for (const [path, expected] of Object.entries(types)) {
  Deno.test(`contentType() returns ${expected} for ${path}`, () => {
    assert.equal(contentType(path), expected);
  });
}

const lifetimes: Readonly<Record<string, string>> = {
  "_astro/index.DX2k9f1a.css": IMMUTABLE,
  "_astro/hoisted.C-8fpP3z.js": IMMUTABLE,
  "_nuxt/BwDXk3sA.js": IMMUTABLE,
  "_app/immutable/chunks/BCMl9T4a.js": IMMUTABLE,
  "docs/_astro/page.Ab3dEf9h.js": IMMUTABLE,
  "_nuxt/builds/latest.json": REVALIDATE,
  "_nuxt/builds/meta/1f2e3d4c-aaaa.json": REVALIDATE,
  "_astro/background.jpg": REVALIDATE,
  "_app/version.json": REVALIDATE,
  "index.html": REVALIDATE,
  "assets/index.DX2k9f1a.css": REVALIDATE,
  "my_astro/index.DX2k9f1a.css": REVALIDATE,
};

for (const [path, expected] of Object.entries(lifetimes)) {
  Deno.test(`defaultCacheControl() returns "${expected}" for ${path}`, () => {
    assert.equal(defaultCacheControl(path), expected);
  });
}
