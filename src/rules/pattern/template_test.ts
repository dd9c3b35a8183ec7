import assert from "node:assert/strict";
import fc from "fast-check";
import {
  compileHeaderValue,
  encodeForQuery,
  encodeHeaderText,
  encodeUrlText,
  expandPieces,
  parseTemplate,
  templateReferences,
} from "./template.ts";

const ROWS: readonly [value: string, parts: readonly string[]][] = [
  ["", []],
  ["plain", ["plain"]],
  ["{a}", ["<a>"]],
  ["x{a}y{b}", ["x", "<a>", "y", "<b>"]],
  ["{{a}}", ["{a}"]],
  ["{{a}}{a}", ["{a}", "<a>"]],
  ["{{{a}}}", ["{{a}}"]],
  ["{{a}", ["{", "<a>"]],
  ["{a}}", ["<a>", "}"]],
  ['{"group": {a}}', ['{"group": ', "<a>", "}"]],
  ["{ a }", ["{ a }"]],
  ["{}", ["{}"]],
];

Deno.test("parseTemplate() distinguishes references, escapes and other braces", async (t) => {
  for (const [value, wanted] of ROWS) {
    await t.step(value, () => {
      const parsed = parseTemplate(value);
      assert.ok("parts" in parsed);
      const shown = parsed.parts.map((part) => part.type === "text" ? part.text : `<${part.name}>`);
      assert.deepEqual(shown, wanted);
    });
  }
});

Deno.test("parseTemplate() refuses a splat's dots in a reference", () => {
  const parsed = parseTemplate("/a/{rest...}");
  assert.ok("problems" in parsed);
  assert.equal(parsed.problems[0]?.offset, 3);
  assert.match(parsed.problems[0]?.message ?? "", /as "\{rest\}"/);
});

Deno.test("templateReferences() lists every reference with its position", () => {
  const parsed = parseTemplate("{{x}}/{a}/{b}/{a}");
  assert.ok("parts" in parsed);
  assert.deepEqual(templateReferences(parsed.parts).map(({ name, offset }) => [name, offset]), [
    ["a", 6],
    ["b", 10],
    ["a", 14],
  ]);
});

Deno.test("encodeForQuery() keeps every capture unchanged", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    fc.pre(text.isWellFormed());
    const capture = encodeURIComponent(text).replaceAll("%2B", "+").replaceAll("%26", "&");
    const query = new URLSearchParams(`q=${encodeForQuery(capture)}`);
    assert.equal(query.get("q"), text);
  }));
});

Deno.test("encodeHeaderText() removes everything that could end a header", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const encoded = encodeHeaderText(text);
    new Headers({ "x-test": encoded });
    assert.doesNotMatch(encoded, /[\r\n\0]/);
  }));
  assert.equal(encodeHeaderText("a\r\nb€é"), "a%0D%0Ab%E2%82%ACé");
});

Deno.test("encodeUrlText() leaves correct text unchanged", () => {
  assert.equal(encodeUrlText("/a{b}?c=%20#d|'\""), "/a{b}?c=%20#d|'\"");
  assert.equal(encodeUrlText("/a b\\é%x\n"), "/a%20b%5C%C3%A9%25x%0A");
});

Deno.test("compileHeaderValue() inserts captures unchanged", () => {
  const pieces = compileHeaderValue("id={b}; {{b}}; {a}", ["a", "b"]);
  assert.equal(expandPieces(pieces, ["1", "%0D%0A"]), "id=%0D%0A; {b}; 1");
});
