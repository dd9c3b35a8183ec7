import assert from "node:assert/strict";
import fc from "fast-check";
import { sha256Hex } from "../../lib/hash.ts";
import { MemoryBlobs } from "../_test_site.ts";
import { bytesOf } from "../messages/body.ts";
import { BlobCache } from "./blob_cache.ts";
import { BlobCorruptError } from "./blob_reader.ts";

function store(count: number, size: number) {
  const blobs = new MemoryBlobs();
  const names = Array.from({ length: count }, (_, index) => {
    const bytes = new Uint8Array(size).fill(index);
    const sha256 = sha256Hex(bytes);
    blobs.content.set(sha256, bytes);
    return sha256;
  });
  return { blobs, names };
}

Deno.test("BlobCache reads a blob once and then returns it immediately", async () => {
  const { blobs, names } = store(1, 10);
  const cache = new BlobCache();
  assert.equal(cache.peek(names[0]!), undefined);
  const loaded = await cache.load(names[0]!, blobs);
  assert.equal(cache.peek(names[0]!), loaded);
  await cache.load(names[0]!, blobs);
  assert.equal(blobs.reads, 1);
});

Deno.test("BlobCache serves all waiting requests with one read", async () => {
  const { blobs, names } = store(1, 10);
  const cache = new BlobCache();
  await Promise.all(Array.from({ length: 50 }, () => cache.load(names[0]!, blobs)));
  assert.equal(blobs.reads, 1);
});

Deno.test("BlobCache refuses a blob with a different hash, and tries again", async () => {
  const { blobs, names } = store(1, 10);
  const right = blobs.content.get(names[0]!)!;
  const cache = new BlobCache();
  blobs.content.set(names[0]!, new Uint8Array(10).fill(99));
  await assert.rejects(cache.load(names[0]!, blobs), BlobCorruptError);
  assert.equal(cache.peek(names[0]!), undefined);
  blobs.content.set(names[0]!, right);
  assert.deepEqual(bytesOf(await cache.load(names[0]!, blobs)), right);
});

Deno.test("BlobCache does not remember a failed read", async () => {
  const { blobs, names } = store(1, 10);
  const cache = new BlobCache();
  const right = blobs.content.get(names[0]!)!;
  blobs.content.delete(names[0]!);
  await assert.rejects(cache.load(names[0]!, blobs), /missing/);
  blobs.content.set(names[0]!, right);
  assert.deepEqual(bytesOf(await cache.load(names[0]!, blobs)), right);
});

Deno.test("BlobCache keeps blobs that are requested and evicts others", async () => {
  const { blobs, names } = store(30, 1000);
  const cache = new BlobCache({ capacity: 8 * 1600 });
  const hot = names[0]!;
  await cache.load(hot, blobs);
  for (const name of names.slice(1)) {
    await cache.load(name, blobs);
    assert.ok(cache.peek(hot) !== undefined);
  }
  assert.equal(cache.peek(names[1]!), undefined);
});

Deno.test("BlobCache never holds more than its capacity", async () => {
  const { blobs, names } = store(40, 700);
  const steps = fc.array(fc.nat(names.length - 1), { maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(20_000), async (indexes, capacity) => {
      const cache = new BlobCache({ capacity });
      for (const index of indexes) {
        const bytes = await cache.load(names[index]!, blobs);
        assert.equal(bytesOf(bytes)[0], index);
        assert.ok(cache.byteLength <= capacity);
      }
    }),
    { numRuns: 50 },
  );
});

const contents:
  readonly (readonly [name: string, content: Uint8Array<ArrayBuffer>, kept: string])[] = [
    ["ASCII", new TextEncoder().encode("<p>hello\0\r\n\x7f"), "string"],
    ["an empty blob", new Uint8Array(), "string"],
    ["UTF-8", new TextEncoder().encode("<p>grüß dich"), "object"],
    ["a byte order mark", Uint8Array.of(0xef, 0xbb, 0xbf, 65), "object"],
    ["octets", Uint8Array.of(0, 128, 255), "object"],
    ["long text", new Uint8Array(100_000).fill(65), "object"],
  ];

for (const [name, content, kept] of contents) {
  Deno.test(`BlobCache keeps every byte of ${name}`, async () => {
    const sha256 = sha256Hex(content);
    const blobs = new MemoryBlobs();
    blobs.content.set(sha256, content);
    const body = await new BlobCache().load(sha256, blobs);
    assert.equal(typeof body, kept);
    assert.deepEqual(bytesOf(body), content);
  });
}

Deno.test("BlobCache keeps text as strings up to a limit, and as bytes beyond it", async () => {
  const { blobs, names } = store(60, 1000);
  const cache = new BlobCache({ textCapacity: 8500 });
  for (const name of names) await cache.load(name, blobs);
  const texts = names.filter((name) => typeof cache.peek(name) === "string");
  assert.equal(texts.length, 8);
});
