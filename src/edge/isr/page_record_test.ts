import assert from "node:assert/strict";
import fc from "fast-check";
import { decodePage, encodePage, type PageRecord } from "./page_record.ts";

const record: fc.Arbitrary<PageRecord> = fc.record({
  key: fc.string(),
  path: fc.string(),
  status: fc.integer({ min: 200, max: 599 }),
  headers: fc.array(fc.tuple(fc.string(), fc.string())),
  askedAt: fc.integer({ min: 0 }),
  body: fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
}, { noNullPrototype: true });

Deno.test("decodePage() returns the page that encodePage() encoded", () => {
  fc.assert(fc.property(record, (page) => assert.deepEqual(decodePage(encodePage(page)), page)));
});

Deno.test("decodePage() refuses a truncated or changed page", () => {
  const bytes = encodePage({
    key: "k",
    path: "/",
    status: 200,
    headers: [["etag", '"x"']],
    askedAt: 1,
    body: new TextEncoder().encode("content"),
  });
  for (let length = 0; length < bytes.byteLength; length++) {
    assert.equal(decodePage(bytes.slice(0, length)), undefined, `${length} bytes`);
  }
  const changed = bytes.slice();
  changed[changed.byteLength - 1]! ^= 1;
  assert.equal(decodePage(changed), undefined);
});
