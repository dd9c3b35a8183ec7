import assert from "node:assert/strict";
import { exportsIn, importDirectly } from "./_direct_imports.ts";

const FILES: Readonly<Record<string, string>> = {
  "/r/src/edge/mod.ts": `/** @module The edge. */
export { createEdge, type EdgeOptions } from "./edge.ts";
export type { Site } from "./site.ts";
export {
  // Used by the command line too.
  inner as outer,
} from "./inner/mod.ts";
`,
  "/r/src/edge/inner/mod.ts": `export { deepest as inner } from "./deep.ts";\n`,
};

const direct = (text: string, file = "/r/src/serve/serve.ts") =>
  importDirectly(text, file, (path) => Promise.resolve(exportsIn(FILES[path]!, path)));

const CASES: readonly (readonly [string, string, string])[] = [
  [
    "a name",
    `import { createEdge } from "../edge/mod.ts";`,
    `import { createEdge as createEdge } from "../edge/edge.ts";`,
  ],
  [
    "a name through two folders, with another name",
    `import { outer as mine } from "../edge/mod.ts";`,
    `import { deepest as mine } from "../edge/inner/deep.ts";`,
  ],
  [
    "several names, and no types",
    `import {\n  createEdge,\n  type EdgeOptions,\n  Site,\n} from "../edge/mod.ts";\nrun();`,
    `import { createEdge as createEdge } from "../edge/edge.ts";\n\n\n\n\nrun();`,
  ],
  [
    "other imports unchanged",
    `import type { Site } from "../edge/mod.ts";\nimport { a } from "./a.ts";`,
    `import type { Site } from "../edge/mod.ts";\nimport { a } from "./a.ts";`,
  ],
];

for (const [name, text, wanted] of CASES) {
  Deno.test(`importDirectly() writes ${name}`, async () => {
    assert.equal(await direct(text), wanted);
  });
}

Deno.test("importDirectly() writes a path in the same folder", async () => {
  assert.equal(
    await direct(`import { createEdge } from "./mod.ts";`, "/r/src/edge/a.ts"),
    `import { createEdge as createEdge } from "./edge.ts";`,
  );
});

Deno.test("importDirectly() refuses a name that is not exported", async () => {
  await assert.rejects(
    direct(`import { nothing } from "../edge/mod.ts";`),
    /\/r\/src\/edge\/mod\.ts does not export nothing/,
  );
});
