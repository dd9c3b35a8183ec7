import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  checksumOf,
  decodeValue as decode,
  encodePortable,
  encodeValue as encode,
  ValueDamagedError,
} from "./portable_values.ts";

const KEY = ["records", "01a1fc74"];
const encodeValue = (value: unknown) => encode(KEY, value);
const decodeValue = (value: unknown) => decode(KEY, value);

const RECORD = {
  id: "01a1fc74",
  none: null,
  missing: undefined,
  count: -5,
  share: 0.5,
  big: 12345678901234n,
  text: ["Hütte", "日本", "\ud800"],
  at: new Date(5),
  ids: new Uint8Array([1, 2, 3]).subarray(1),
  places: new Uint16Array([258, 3]),
  readAt: new Float64Array([1.5]),
  kinds: new Map([["a", new Set([1])]]),
};

/** The bytes that every svc writes. A runtime that writes different bytes fails this test. */
const BYTES =
  "ff0f6f220269642208303161316663373422046e6f6e653022076d697373696e675f2205636f756e7449092205" +
  "73686172654e000000000000e03f22036269675a10f22fce733a0b00002204746578744103220548fc74746500" +
  "6304e5652c67630200d82400032202617444000000000000144022036964735c010202032206706c616365735c" +
  "04040201030022067265616441745c0808000000000000f83f22056b696e64733b2201612749022c013a027b0c";

/** Checksums of the two values below. */
const CHECKSUM = "5bc2ec68";
const BLANKS = " \r \r\n\n\n\n\n\n\t\r\r\t\t\t";

/** An object with an own property named `__proto__`. */
const PROTO = '{"__proto__":{"a":1}}';

Deno.test("encodeValue() and decodeValue() keep every kind of value in records", () => {
  const encoded = encodeValue(RECORD);
  assert.ok(encoded instanceof Uint8Array);
  assert.deepEqual(decodeValue(encoded), RECORD);
  const values = [true, null, undefined, "", "\ud800", 0, -0, NaN, [], [undefined], {
    a: [{ b: 1 }],
  }];
  for (const value of [...values, { a: undefined }, { at: new Date(5) }, JSON.parse(PROTO)]) {
    assert.deepStrictEqual(decodeValue(encodeValue(value)), value);
  }
});

Deno.test("encodeValue() writes the same bytes on every runtime", () => {
  const encoded = encodeValue({ ...RECORD });
  assert.ok(encoded instanceof Uint8Array);
  assert.equal(Buffer.from(encoded).toString("hex"), `${BYTES}73766323${CHECKSUM}`);
  const json = encodeValue({ a: "é", b: [1] });
  assert.ok(json instanceof Uint8Array);
  assert.equal(Buffer.from(json).toString("latin1"), `\xffJ{"a":"\xc3\xa9","b":[1]}${BLANKS}`);
});

const LOOKALIKES = [new Uint8Array([0xff, 0x0f, 0x30]), new Uint8Array([0xff, 0x4a])];

Deno.test("encodeValue() does not change counters and bytes, and never mistakes bytes for a value", () => {
  const counter = new Deno.KvU64(5n);
  assert.equal(encodeValue(counter), counter);
  const bytes = new Uint8Array([1, 2, 3]);
  assert.equal(encodeValue(bytes), bytes);
  for (const given of [bytes, new Uint8Array(), ...LOOKALIKES]) {
    const read = decodeValue(encodeValue(given));
    assert.ok(read instanceof Uint8Array);
    assert.deepEqual([...read], [...given]);
  }
});

Deno.test("encodeValue() refuses everything that is not data", () => {
  assert.throws(() => encodeValue({ run() {} }), TypeError);
});

Deno.test("encodeValue() never exceeds the limit for a string that Deno KV could store itself", () => {
  const text = "日".repeat(30_000);
  const encoded = encodeValue(text);
  assert.ok(encoded instanceof Uint8Array && encoded.byteLength < 65_536);
  assert.equal(decodeValue(encoded), text);
});

/** A value in each encoding. */
const VALUES = [{ a: "é", n: 12 }, { at: new Date(5), text: "日本" }];

Deno.test("decodeValue() detects every flipped bit in a value, and a value that belongs to another key", () => {
  for (const value of VALUES) {
    const encoded = encodeValue(value) as Uint8Array;
    assert.equal(checksumOf(KEY, encoded), "right");
    assert.throws(() => decode(["records", "01a1fc75"], encoded), ValueDamagedError);
    // The first two bytes mark the value as encoded.
    for (let bit = 16; bit < encoded.byteLength * 8; bit++) {
      const changed = encoded.slice();
      changed[bit >> 3]! ^= 1 << (bit & 7);
      let read: unknown;
      try {
        read = decodeValue(changed);
      } catch (error) {
        assert.ok(error instanceof ValueDamagedError);
        continue;
      }
      assert.deepEqual(read, value, `bit ${bit}`);
    }
  }
});

Deno.test("decodeValue() reads values without a checksum", () => {
  for (const value of VALUES) {
    const plain = encodePortable(value);
    assert.equal(checksumOf(KEY, plain), "none");
    assert.deepEqual(decodeValue(plain), value);
  }
});

Deno.test("encodeValue() omits the checksum if there is no room for it", () => {
  for (const length of [65_530, 65_532]) {
    const encoded = encodeValue("x".repeat(length)) as Uint8Array;
    assert.equal(checksumOf(KEY, encoded), "none");
    assert.ok(encoded.byteLength <= 65_536);
    assert.equal(decodeValue(encoded), "x".repeat(length));
  }
});
