import assert from "node:assert/strict";
import { isSpoofable, mayForward } from "./spoofable_headers.ts";

const REMOVED = [
  "x-forwarded-for",
  "x_forwarded_for",
  "x-real-ip",
  "x-svc-deployment",
  "x-middleware-subrequest",
  "x-middleware-next",
  "x-middleware-override-headers",
  "x-invoke-path",
  "x-now-route-matches",
  "x-matched-path",
  "next-resume",
  "x-nuxt-no-ssr",
  "x-react-router-spa-mode",
  "x-react-router-prerender-data",
  "x-astro-locals",
  "x-astro-path",
];

/**
 * Headers that are forwarded. They are sent by a framework's browser code, or protected by a
 * secret.
 */
const KEPT = [
  "rsc",
  "next-action",
  "next-router-state-tree",
  "next-url",
  "x-nextjs-data",
  "x-middleware-prefetch",
  "x-prerender-revalidate",
  "x-sveltekit-action",
  "x-sveltekit-pathname",
  "accept",
  "cookie",
  "x_role",
];

for (const name of REMOVED) {
  Deno.test(`isSpoofable() is true for ${name}`, () => assert.ok(isSpoofable(name)));
}
for (const name of KEPT) {
  Deno.test(`isSpoofable() is false for ${name}`, () => assert.ok(!isSpoofable(name)));
}

Deno.test("mayForward() accepts a country only from a trusted proxy", () => {
  for (const name of ["cf-ipcountry", "cf_ipcountry", "x-geo-asn"]) {
    assert.deepEqual([mayForward(name, true), mayForward(name, false)], [true, false]);
  }
});
