import assert from "node:assert/strict";
import { parseToml } from "./toml.ts";
import { findTomlExcess, MAX_TOML_VALUES } from "./toml_bounds.ts";

const MAX_DEPTH = 16;
const limits = { maxBytes: 1 << 20, maxDepth: MAX_DEPTH };

function refusal(source: string) {
  const result = parseToml(source, limits);
  assert.ok(!result.ok, source.slice(0, 60));
  const { code, message, position } = result.diagnostics[0]!;
  return { code, message, place: position && [position.line, position.column] };
}

const parts = (count: number, part = "a") => Array.from({ length: count }, () => part).join(".");

const keys: readonly (readonly [name: string, source: string])[] = [
  ["a dotted key", `\n${parts(50_000)} = 1`],
  ["a dotted key of quoted parts", `\n${parts(50_000, '"a.b"')} = 1`],
  ["a dotted key with spaces", `\n${parts(50_000, " a ")} = 1`],
  ["a table's name", `\n[${parts(50_000)}]`],
  ["an array's name", `\n[[${parts(50_000)}]]`],
  ["a key in an inline table", `\nx = { ${parts(50_000)} = 1 }`],
];

for (const [name, source] of keys) {
  Deno.test(`parseToml() refuses 50,000 parts of ${name} before it parses them`, () => {
    const { code, message, place } = refusal(source);
    assert.deepEqual([code, message], ["toml_depth", "Write keys of at most 16 parts"]);
    assert.equal(place?.[0], 2);
  });
}

Deno.test("parseToml() refuses deep nesting and too many values before it parses them", () => {
  assert.deepEqual(refusal(`a = 1\nb = ${"[".repeat(100_000)}`), {
    code: "toml_depth",
    message: "Nest tables and arrays at most 16 deep",
    place: [2, 5 + MAX_DEPTH + 2],
  });
  assert.equal(refusal(`a = ${"{ a = ".repeat(100_000)}`).code, "toml_depth");
  assert.match(
    refusal(`a = [${"1,".repeat(MAX_TOML_VALUES + 1)}]`).message,
    /within 200000 values/,
  );
});

Deno.test("parseToml() reports that the text is too long, not that it is nested too deeply", () => {
  assert.match(refusal(`a = "${"x".repeat(1_000_000)}"`).message, /Shorten the longest text/);
});

const within: readonly string[] = [
  `${parts(MAX_DEPTH)} = 1.5`,
  `a = ${"[".repeat(MAX_DEPTH - 1)}${"]".repeat(MAX_DEPTH - 1)}`,
  `a = "${"[{.".repeat(100)}"\nb = '${"[{.".repeat(100)}'`,
  `a = """${'[{." \\" \n'.repeat(100)}"""\nb = '''${"[{.' \n".repeat(100)}'''`,
  `# ${"[{.".repeat(100)} "\na = "#"\nb = 1.5`,
  `a = """x""""\nb = """"x"""\nc = ''''x'''\n${parts(MAX_DEPTH, "k")} = 1`,
  Array.from({ length: 1000 }, (_, n) => `k${n} = [1.5, 2.5, { a.b = 1.5 }]`).join("\n"),
  Array.from({ length: 100 }, (_, n) => `[a.b.c${n}]\nd.e = 1.5\n[[x]]`).join("\n"),
];

for (const source of within) {
  Deno.test(`findTomlExcess() accepts ${JSON.stringify(source.slice(0, 40))}`, () => {
    assert.equal(findTomlExcess(source, MAX_DEPTH), undefined);
    const result = parseToml(source, limits);
    assert.ok(result.ok, !result.ok ? result.diagnostics[0]!.message : "");
  });
}

Deno.test("parseToml() refuses an escaped lone surrogate", () => {
  for (const source of ['a = "\\ud800"', '"\\uDC00" = 1', 'a = """\\U0000d800"""']) {
    assert.equal(refusal(source).code, "toml_syntax", source);
  }
});
