import assert from "node:assert/strict";
import fc from "fast-check";
import { atOnce } from "../lib/next_turn.ts";
import type { DeploymentFile } from "./deployment_files.ts";
import { applyDifference, differenceOf, digestFiles } from "./file_difference.ts";

const file = fc.record({
  path: fc.constantFrom("a", "b", "é", "\u{1f600}", "\uffff", "a/b", "__proto__", "constructor"),
  sha256: fc.constantFrom("0".repeat(64), "1".repeat(64)),
  size: fc.nat(2),
}).map(({ path, sha256, size }) => ({ path, sha256, size }));
const list = fc.uniqueArray(file, { selector: ({ path }) => path });

const sorted = (files: readonly DeploymentFile[]) =>
  files.toSorted((left, right) => left.path < right.path ? -1 : 1);

Deno.test("applyDifference() restores a list from any base and its differenceOf()", () => {
  fc.assert(
    fc.property(list, list, (base, files) => {
      const made = atOnce(applyDifference(base, differenceOf(base, files)));
      assert.deepEqual(sorted(made), sorted(files));
      assert.equal(digestFiles(made), digestFiles(files));
    }),
    { numRuns: 2000, seed: 17 },
  );
});

Deno.test("differenceOf() is empty for equal lists in any order", () => {
  fc.assert(
    fc.property(list, (files) => {
      assert.deepEqual(differenceOf(files, files.toReversed()), { files: [], removed: [] });
    }),
    { numRuns: 200, seed: 17 },
  );
});

Deno.test("digestFiles() returns equal digests only for equal lists", () => {
  fc.assert(
    fc.property(list, list, (left, right) => {
      const same = JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
      assert.equal(digestFiles(left) === digestFiles(right), same);
    }),
    { numRuns: 2000, seed: 17 },
  );
});

Deno.test("digestFiles() returns the SHA-256 of one line per file, sorted by path", () => {
  const [zeros, ones] = ["0".repeat(64), "1".repeat(64)];
  const files = [{ path: "b", sha256: ones, size: 2 }, { path: "a", sha256: zeros, size: 10 }];
  // printf '%064d 10 a\n1111… 2 b\n' 0 | sha256sum
  assert.equal(
    digestFiles(files),
    "b932a5fd230cbc77ec808340f8167f6d2aae636175a07a49d65bd42745d112ba",
  );
});
