import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { decodeKey, encodeKey } from "./key_encoding.ts";
import { inTestFolder } from "../lib/_test_folder.ts";
import { DenoStore } from "./deno_store.ts";
import type { KeyPart } from "./record_types.ts";

const part = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.uint8Array({ maxLength: 12 }),
  fc.double(),
  fc.bigInt({ min: -(1n << 80n), max: 1n << 80n }),
  fc.bigInt({ min: -300n, max: 300n }),
  fc.boolean(),
  fc.constantFrom<KeyPart>("", "\0", "a\0b", "\ufeff", new Uint8Array([0, 255]), -0, NaN),
  fc.constantFrom<KeyPart>(
    2n ** 64n - 1n,
    2n ** 64n,
    -(2n ** 64n),
    2n ** 400n,
    -(2n ** 400n),
  ),
);
const key = fc.array(part, { minLength: 1, maxLength: 4 });

Deno.test("encodeKey() writes the same bytes as embedded Deno KV, in the same order", async () => {
  await inTestFolder(async (folder) => {
    const sample = fc.sample(key, { numRuns: 600, seed: 21 });
    const kv = await DenoStore.open(`${folder}/kv`);
    for (let at = 0; at < sample.length; at += 200) {
      const operation = kv.atomic();
      sample.slice(at, at + 200).forEach((each, index) => operation.set(each, at + index));
      assert.ok((await operation.commit()).ok);
    }
    const inOrder = await Array.fromAsync(kv.list({ prefix: [] }), (entry) => entry.key);
    kv.close();
    using database = new DatabaseSync(`${folder}/kv`);
    const stored = database.prepare("select k from kv order by k").all()
      .map(({ k }) => (k as Uint8Array).toHex());
    const own = new Set(sample.map((each) => encodeKey(each).toHex()));
    assert.deepEqual([...own].sort(), stored);
    assert.deepEqual(stored.map((hex) => decodeKey(Uint8Array.fromHex(hex))), inOrder);
  });
});

Deno.test("decodeKey() returns the key that encodeKey() encoded", () => {
  fc.assert(fc.property(key, (each) => {
    const wellFormed = each.map((part) => typeof part === "string" ? part.toWellFormed() : part);
    assert.deepEqual(decodeKey(encodeKey(each)), wellFormed);
  }));
});

Deno.test("encodeKey() refuses values that are not parts of a key, and decodeKey() refuses invalid keys", () => {
  assert.throws(() => encodeKey([{} as string]), /one is of type object/);
  assert.throws(() => encodeKey([1n << 2048n]), /longer than 255 bytes/);
  for (const bytes of [[0x02, 0x61], [0x21, 1], [0x99], [0x15], [0x02, 0xff, 0x00]]) {
    assert.throws(() => decodeKey(Uint8Array.from(bytes)));
  }
});
