import assert from "node:assert/strict";
import { firstRelevant } from "./decide_skip.ts";

Deno.test("firstRelevant() returns the first file that can affect a part of the repository", () => {
  const parts = { root: "apps/web", needed: ["packages/ui"] };
  const rows: readonly (readonly [file: string, isRelevant: boolean])[] = [
    ["apps/web/index.html", true],
    ["apps/web/README.md", true],
    ["apps/web/src/deep/a.ts", true],
    ["packages/ui/index.js", true],
    ["package-lock.json", true],
    ["turbo.json", true],
    ["apps/tsconfig.json", true],
    ["README.md", false],
    ["apps/CHANGELOG.MD", false],
    ["apps/website/index.html", false],
    ["apps/admin/index.html", false],
    ["packages/ui-kit/index.js", false],
    ["packages/tsconfig.json", false],
    ["docs/apps/web/index.html", false],
  ];
  for (const [file, isRelevant] of rows) {
    assert.equal(firstRelevant([file], parts) === file, isRelevant, file);
  }
  assert.equal(firstRelevant(["README.md", "apps/web/a", "apps/web/b"], parts), "apps/web/a");
  assert.equal(firstRelevant([], parts), undefined);
});
