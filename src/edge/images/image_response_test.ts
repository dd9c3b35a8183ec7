import assert from "node:assert/strict";
import { type ImageReply, originalResponse } from "./image_response.ts";

const SOURCE = { type: "png", bytes: new Uint8Array([1, 2, 3]) } as const;

const replyWith = (cacheControl: string): ImageReply => ({
  request: { method: "GET", id: "r", header: () => null },
  common: [],
  cacheControl,
  keptSeconds: 0,
  varies: false,
  name: "hut",
});

/** `Cache-Control` of a source, and of the unconverted image. */
const FAILED: readonly (readonly [string, string])[] = [
  ["public, max-age=31536000, immutable", "public, max-age=60"],
  ["public, max-age=0, must-revalidate", "public, max-age=60"],
  ["private, no-store", "private, no-store"],
  ["private, no-cache", "private, no-cache"],
];

for (const [source, sent] of FAILED) {
  Deno.test(`originalResponse() sends ${sent} after a failed conversion of a source with ${source}`, () => {
    const { headers } = originalResponse(replyWith(source), SOURCE, "The image is broken");
    assert.deepEqual(headers.filter(([name]) => name === "cache-control"), [[
      "cache-control",
      sent,
    ]]);
  });
}
