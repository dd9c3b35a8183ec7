import assert from "node:assert/strict";
import fc from "fast-check";
import { JsonError, parseJson } from "./parse_json.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const pause = () => Promise.resolve();

/** Parses the same bytes with the language's parser; returns `undefined` on failure. */
function expected(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    return undefined;
  }
}

async function found(bytes: Uint8Array, pieceBytes: number) {
  try {
    return { value: (await parseJson(bytes, { maxDepth: 1000, pause, pieceBytes })).value };
  } catch (error) {
    assert.ok(error instanceof JsonError, String(error));
    return undefined;
  }
}

Deno.test("parseJson() agrees with JSON.parse on any value, in pieces of any size", () =>
  fc.assert(fc.asyncProperty(
    fc.json({ maxDepth: 5, stringUnit: "binary" }),
    fc.integer({ min: 1, max: 40 }),
    fc.constantFrom(0, 2),
    async (json, pieceBytes, indent) => {
      const bytes = encode(JSON.stringify(JSON.parse(json), null, indent));
      assert.deepEqual(await found(bytes, pieceBytes), expected(bytes));
    },
  )));

Deno.test("parseJson() agrees with JSON.parse on damaged text, in pieces of any size", () =>
  fc.assert(
    fc.asyncProperty(
      fc.json({ maxDepth: 4 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.tuple(fc.nat(200), fc.constantFrom(...'[]{},:"\\ 1a\xe9', ""))),
      async (json, pieceBytes, damage) => {
        let text = json;
        for (const [at, piece] of damage) text = text.slice(0, at) + piece + text.slice(at + 1);
        const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
        assert.deepEqual(await found(bytes, pieceBytes), expected(bytes));
      },
    ),
    { numRuns: 2000 },
  ));

for (
  const text of [
    ..."[,{}]|[{},]|[{}{}]|[1 {}]|{{}}|{1:{}}|{,}|[}|{]|[{}|{}]|[]x|x[]|[] []|[[1],,[2]]".split(
      "|",
    ),
    '{"a":{} "b":{}}',
    '{"a"{}}',
    '{"a":{},}',
    '{"a":1,,"b":[]}',
    "[1,\ufeff[2]]",
  ]
) {
  Deno.test(`parseJson() refuses ${text}, even in pieces`, async () => {
    for (const pieceBytes of [1, 2, 3, 100]) {
      assert.equal(await found(encode(text), pieceBytes), undefined);
    }
  });
}

Deno.test("parseJson() treats __proto__ like any other member", async () => {
  const bytes = encode('{"__proto__":{"x":[1,2,3]},"y":1}');
  for (const pieceBytes of [1, 100]) {
    const { value } = await found(bytes, pieceBytes) as { value: Record<string, unknown> };
    assert.deepEqual(Object.keys(value), ["__proto__", "y"]);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  }
});

Deno.test("parseJson() rejects deep nesting before it builds anything, and reports the position", async () => {
  const bytes = encode("[".repeat(10_000_000));
  let pauses = 0;
  const limits = { maxDepth: 64, pause: () => (pauses++, Promise.resolve()) };
  await assert.rejects(parseJson(bytes, limits), /byte 64 is nested too deeply: at most 64 levels/);
  assert.equal(pauses, 0);
  const within = encode("[".repeat(64) + "]".repeat(64));
  assert.ok((await parseJson(within, limits)).value);
});

Deno.test("parseJson() pauses after each 64 KiB, even with little structure", async () => {
  const files = Array.from({ length: 20_000 }, (_, n) => ({ path: `a/${n}.html`, size: n }));
  for (const value of [{ files, note: "x" }, [files, { deep: { files } }], "x".repeat(1e6)]) {
    let pauses = 0;
    const bytes = encode(JSON.stringify(value));
    const limits = { maxDepth: 8, pause: () => (pauses++, Promise.resolve()) };
    assert.deepEqual((await parseJson(bytes, limits)).value, value);
    assert.equal(pauses, Math.ceil(bytes.length / (64 * 1024)) - 1);
  }
});

Deno.test("parseJson() reports whether surrogates were escaped", async () => {
  const limits = { maxDepth: 8, pause };
  for (
    const [text, expected] of [['"\\ud800"', true], ['"\\uDFff"', true], ['"\\u0064"', false], [
      '"\\\\ud800"',
      false,
    ]] as const
  ) {
    assert.equal((await parseJson(encode(text), limits)).mayBeIllFormed, expected, text);
  }
});
