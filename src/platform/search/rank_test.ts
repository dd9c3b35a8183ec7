import assert from "node:assert/strict";
import { deploymentRank, projectRank, topOf } from "./rank.ts";

const project = (name: string, gitUrl: string | null = null) => ({
  id: `id-${name}`,
  name,
  displayName: null,
  gitUrl,
});

Deno.test("topOf() puts the exact name first, then names that start with it, then others", () => {
  const all = [
    project("my-shop"),
    project("shop-two"),
    project("docs", "https://git.example/shop"),
    project("shop"),
    project("other"),
  ];
  const found = topOf(all, (each) => projectRank(each, "shop"), 10).map(({ name }) => name);
  assert.deepEqual(found, ["shop", "shop-two", "my-shop", "docs"]);
  assert.equal(topOf(all, () => 1, 2).length, 2);
});

Deno.test("deploymentRank() finds messages in any case, branches, and prefixes of commits", () => {
  const deployment = {
    id: "019abf2e",
    message: "Show the Tide",
    branch: "feature/tides",
    author: "Ada",
    commitSha: "abc123def",
  };
  for (const wanted of ["tide", "feature/", "ada", "abc1", "019a"]) {
    assert.ok(deploymentRank(deployment, wanted) > 0, wanted);
  }
  for (const wanted of ["123def", "boats"]) assert.equal(deploymentRank(deployment, wanted), 0);
});
