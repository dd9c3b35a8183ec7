import assert from "node:assert/strict";
import { parseToml } from "./toml.ts";

const limits = { maxBytes: 1 << 20, maxDepth: 16 };

function parsed(source: string) {
  const result = parseToml(source, limits);
  assert.ok(result.ok);
  return result.document;
}

function codeOf(source: string): string | undefined {
  const result = parseToml(source, limits);
  return result.ok ? undefined : result.diagnostics[0]?.code;
}

Deno.test("parseToml() locates values in tables, array tables, dotted keys and inline tables", () => {
  const document = parsed(
    `[project]\nid = "x"\n[[rules]]\nid = 'a'\n[[rules]]\ncondition.path = { type = "exact" }\nlist = [1, 22]\n`,
  );
  assert.deepEqual(document.value, {
    project: { id: "x" },
    rules: [{ id: "a" }, { condition: { path: { type: "exact" } }, list: [1, 22] }],
  });
  assert.deepEqual(document.locate(["project", "id"]), { line: 2, column: 6, length: 3 });
  assert.deepEqual(document.locateKey(["project", "id"]), { line: 2, column: 1, length: 2 });
  assert.equal(document.locate(["rules", 1, "condition", "path", "type"])?.line, 6);
  assert.deepEqual(document.locate(["rules", 1, "list", 1]), { line: 7, column: 12, length: 2 });
});

Deno.test("parseToml() locates a missing value at its nearest parent", () => {
  const document = parsed(`[[rules]]\nid = "a"\n`);
  assert.equal(document.locate(["rules", 0, "action", "type"])?.line, 1);
});

Deno.test("parseToml() reports bad input as diagnostics", () => {
  assert.equal(codeOf("a = "), "toml_syntax");
  assert.equal(codeOf("a = 1\na = 2"), "toml_syntax");
  assert.equal(codeOf("__proto__ = 1"), "toml_key");
  assert.equal(codeOf(`a.b."__proto__".c = 1`), "toml_key");
  assert.equal(codeOf(`a = ${"[".repeat(17)}${"]".repeat(17)}`), "toml_depth");
  assert.equal(codeOf(`a = ${"[".repeat(50_000)}${"]".repeat(50_000)}`), "toml_depth");
  assert.equal(codeOf(`a = "${"x".repeat(1 << 20)}"`), "toml_size");
});

const syntaxErrors = [
  ["a missing value at the end", "ok = 1\nbad = \n", [2, 6]],
  ["a missing value before another key", "ok = 1\nbad = \nc = 2\n", [2, 6]],
  ["a duplicate key", "a = 1\na = 2\n", [2, 1]],
  ["an unterminated string", 'x = "abc\ny = 1', [1, 9]],
] as const;

for (const [name, source, place] of syntaxErrors) {
  Deno.test(`parseToml() reports the position of ${name}`, () => {
    const result = parseToml(source, limits);
    assert.ok(!result.ok);
    const position = result.diagnostics[0]?.position;
    assert.deepEqual([position?.line, position?.column], place);
  });
}

Deno.test("parseToml() locates the parents of a table", () => {
  const document = parsed("x = 1\n[a.b]\nc = 1\n");
  assert.equal(document.locateKey(["a"])?.line, 2);
});
