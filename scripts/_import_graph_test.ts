import assert from "node:assert/strict";
import { join } from "node:path";
import { readImportGraph } from "./_import_graph.ts";
import { inTestFolder } from "../src/lib/_test_folder.ts";

async function withFiles(
  files: Readonly<Record<string, string>>,
  test: (folder: string) => Promise<void>,
): Promise<void> {
  await inTestFolder(async (folder) => {
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(join(folder, name), text);
    }
    await test(await Deno.realPath(folder));
  });
}

Deno.test("readImportGraph() sees static, dynamic, type-only and re-exporting imports", async () => {
  const files = {
    "deno.json": "{}",
    "a.ts": [
      'import "./b.ts";',
      'import type { B } from "./c.ts";',
      'export * from "./d.ts";',
      'export const late = (): Promise<unknown> => import("./e.ts");',
      "export type X = B;",
    ].join("\n"),
    "b.ts": "export {};",
    "c.ts": "export type B = string;",
    "d.ts": "export {};",
    "e.ts": "export {};",
  };
  await withFiles(files, async (folder) => {
    const edges = await readImportGraph(folder, ["a.ts"]);
    assert.deepEqual(edges.toSorted((x, y) => x.line - y.line), [
      { from: "a.ts", to: "b.ts", line: 1 },
      { from: "a.ts", to: "c.ts", line: 2 },
      { from: "a.ts", to: "d.ts", line: 3 },
      { from: "a.ts", to: "e.ts", line: 4 },
    ]);
  });
});

Deno.test("readImportGraph() omits packages", async () => {
  const files = { "deno.json": "{}", "a.ts": 'import "node:path";' };
  await withFiles(files, async (folder) => {
    assert.deepEqual(await readImportGraph(folder, ["a.ts"]), []);
  });
});
