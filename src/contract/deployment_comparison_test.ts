import assert from "node:assert/strict";
import { type DeploymentComparison, differenceText } from "./deployment_comparison.ts";

const none = { added: 0, removed: 0, changed: 0, items: [] };

const compared = (given: Partial<DeploymentComparison>) =>
  differenceText({
    files: none,
    routes: none,
    rules: none,
    functions: none,
    variables: none,
    rulesReordered: false,
    ...given,
  } as DeploymentComparison);

Deno.test("differenceText() counts what differs", () => {
  const [one, three] = [{ ...none, added: 1 }, { ...none, added: 1, removed: 1, changed: 1 }];
  assert.equal(compared({}), "Nothing differs.");
  assert.equal(compared({ rulesReordered: true }), "The order of the rules differs.");
  assert.equal(compared({ files: one }), "1 file differs.");
  assert.equal(compared({ files: three, rules: one }), "3 files and 1 rule differ.");
  assert.equal(
    compared({ files: three, rules: three, variables: one }),
    "3 files, 3 rules and 1 variable differ.",
  );
});
