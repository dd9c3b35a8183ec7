/** Tests how long the sources of images count as fresh. */
import assert from "node:assert/strict";
import type { Rule } from "../rules/mod.ts";
import { dynamicEdge, UPSTREAM } from "./_test_dynamic.ts";
import type { ConvertedImage, ImageService } from "./images/types.ts";

const PNG = Uint8Array.fromHex("89504e470d0a1a0a0000000049444154");

const PHOTOS: Rule = {
  id: "photos",
  condition: { path: { type: "prefix", value: "/photos/" } },
  action: { type: "rewrite", target: `${UPSTREAM}/photo.png`, external: true },
};

/** Returns a service that stores each image without converting it. */
function storingService(): ImageService {
  const known = new Map<string, ConvertedImage>();
  return {
    find: (_, key) => Promise.resolve(known.get(key)),
    knownFailure: () => undefined,
    convert({ key, source, format }) {
      const image = { format, bytes: source };
      known.set(key, image);
      return Promise.resolve({ type: "converted", image, isNew: true });
    },
  };
}

const FIELDS: readonly [name: string, fields: Record<string, string>, isFresh: boolean][] = [
  ["max-age", { "cache-control": "max-age=60" }, true],
  ["max-age and a lower Age", { "cache-control": "max-age=60", age: "20" }, true],
  ["max-age and a higher Age", { "cache-control": "max-age=60", age: "50" }, false],
  ["s-maxage and a higher Age", { "cache-control": "max-age=0, s-maxage=60", age: "50" }, false],
  ["no-cache", { "cache-control": "no-cache, max-age=60" }, false],
];

for (const [name, fields, isFresh] of FIELDS) {
  Deno.test(`an image's source is ${isFresh ? "" : "not "}fresh after 30 s: ${name}`, async () => {
    const edge = dynamicEdge({
      rules: [PHOTOS],
      upstream: () => new Response(PNG, { headers: fields }),
      edge: { images: storingService() },
    });
    for (let count = 0; count < 2; count++) {
      const response = await edge.fetch("/_svc/image?url=/photos/1&w=640");
      assert.equal(response.status, 200);
      await response.bytes();
      edge.wait(30);
    }
    assert.equal(edge.asked.length, isFresh ? 1 : 2);
  });
}
