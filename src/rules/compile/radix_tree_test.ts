import assert from "node:assert/strict";
import fc from "fast-check";
import { RadixTree, type TreeSide } from "./radix_tree.ts";

const text = fc.array(fc.constantFrom("a", "b", "/", "ab")).map((parts) => parts.join(""));

for (const side of ["start", "end"] satisfies TreeSide[]) {
  Deno.test(`RadixTree finds every string at the ${side} of a path`, () => {
    fc.assert(fc.property(fc.array(text), text, (texts, path) => {
      const tree = new RadixTree<string>(side);
      for (const each of texts) tree.getOrCreate(each, () => each);
      const found: string[] = [];
      tree.visit(path, (value) => found.push(value));
      const wanted = [...new Set(texts)]
        .filter((each) => side === "start" ? path.startsWith(each) : path.endsWith(each))
        .sort((a, b) => a.length - b.length);
      assert.deepEqual(found, wanted);
    }));
  });
}

Deno.test("RadixTree keeps the first value of a string", () => {
  const tree = new RadixTree<object>("start");
  const value = tree.getOrCreate("/a", () => ({}));
  tree.getOrCreate("/", () => ({}));
  assert.equal(tree.getOrCreate("/a", () => ({})), value);
});
