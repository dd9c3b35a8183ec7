import assert from "node:assert/strict";
import fc from "fast-check";
import { Addresses, branchLabel } from "./addresses.ts";

Deno.test("branchLabel() keeps a branch that is already a label", () => {
  assert.equal(branchLabel("shop", "main"), "shop-git-main");
  assert.equal(branchLabel("shop", "release-2"), "shop-git-release-2");
});

Deno.test("branchLabel() returns different labels for similar branches", () => {
  const labels = ["feature/x", "feature-x", "feature_x", "Feature-x"].map((branch) =>
    branchLabel("shop", branch)
  );
  assert.equal(new Set(labels).size, labels.length);
});

Deno.test("branchLabel() returns another label if the plain one is taken", () => {
  assert.notEqual(branchLabel("shop", "main", { taken: true }), branchLabel("shop", "main"));
});

Deno.test("branchLabel() always returns at most 63 characters", () => {
  const project = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/);
  fc.assert(fc.property(project, fc.string({ minLength: 1, maxLength: 244 }), (name, branch) => {
    assert.match(branchLabel(name, branch), /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
  }));
});

Deno.test("Addresses builds URLs and hostnames, and recognizes reserved labels", () => {
  const addresses = new Addresses({ protocol: "http:", domain: "localhost", port: "8787" });
  assert.equal(addresses.url("shop"), "http://shop.localhost:8787");
  assert.equal(addresses.hostname("shop"), "shop.localhost");
  assert.ok(addresses.isReserved("www"));
  assert.ok(!addresses.isReserved("shop"));
});
