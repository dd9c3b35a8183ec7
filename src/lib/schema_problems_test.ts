import assert from "node:assert/strict";
import * as z from "zod";
import { describeIssues, type DocumentFormat } from "./schema_problems.ts";

const layer = z.strictObject({
  name: z.string("Use a string"),
  kind: z.enum(["file", "folder"], "Use one of file, folder").optional(),
  sizes: z.record(z.string().min(1, "Use a name"), z.int("Use an integer")).optional(),
});
const schema = z.strictObject({ layers: z.array(layer, "Use a list") });

function describe(root: unknown, own: Partial<DocumentFormat> = {}) {
  const result = schema.safeParse(root);
  assert.ok(result.error !== undefined);
  return describeIssues(result.error.issues, [], {
    root,
    partAt: (path) =>
      path.length === 0
        ? { name: "the document", fields: ["layers"] }
        : { name: "a layer", fields: Object.keys(layer.shape) },
    ...own,
  });
}

Deno.test("describeIssues() reports the expected and the found value", async (t) => {
  const layers = (fields: Record<string, unknown>) => ({ layers: [{ name: "a", ...fields }] });
  const rows: readonly {
    readonly name: string;
    readonly root: unknown;
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
    readonly on?: "key";
  }[] = [
    {
      name: "a missing field",
      root: {},
      code: "missing_field",
      message: 'Add "layers": the document needs it',
      hint: "Use a list",
    },
    {
      name: "an unknown key similar to a known one",
      root: { layers: [], layer: 1 },
      code: "unknown_key",
      message: 'Remove "layer": the document has no such field',
      hint: 'Did you mean "layers"?',
      on: "key",
    },
    {
      name: "an unknown key that is similar to no known key",
      root: { layers: [], x: 1 },
      code: "unknown_key",
      message: 'Remove "x": the document has no such field',
      hint: "The document takes layers",
      on: "key",
    },
    {
      name: "a value of the wrong type",
      root: { layers: "a".repeat(70) },
      code: "wrong_type",
      message: `Use a list: it is "${"a".repeat(60)}…" (70 characters)`,
    },
    {
      name: "an unknown word",
      root: layers({ kind: "flie" }),
      code: "unknown_value",
      message: 'Use one of file, folder: it is "flie"',
      hint: 'Did you mean "file"?',
    },
    {
      name: "a forbidden name",
      root: layers({ sizes: { "": 1 } }),
      code: "wrong_name",
      message: 'Use a name: it is ""',
      on: "key",
    },
  ];
  for (const { name, root, ...wanted } of rows) {
    await t.step(name, () => {
      assert.deepEqual(describe(root).map(({ path: _, ...problem }) => problem), [wanted]);
    });
  }
});

Deno.test("describeIssues() lets a file format replace the wording", () => {
  const root = { layers: [], old: 1 };
  assert.deepEqual(
    describe(root, { describeKey: (_, key) => ({ message: `No ${key}`, hint: undefined }) }),
    [{ code: "unknown_key", message: "No old", hint: undefined, path: ["old"], on: "key" }],
  );
  const own = { code: "x", message: "X", path: [] };
  assert.deepEqual(describe(root, { describeIssue: () => own }), [own]);
});

Deno.test("describeIssues() puts the location of the part before the paths", () => {
  const root = { layers: [{}] };
  const issues = layer.safeParse({}).error?.issues ?? [];
  const [problem] = describeIssues(issues, ["layers", 0], {
    root,
    partAt: () => ({ name: "a layer", fields: [] }),
  });
  assert.deepEqual(problem?.path, ["layers", 0, "name"]);
});
