import assert from "node:assert/strict";
import { PageIndex, pageName } from "./page_index.ts";

const LIMITS = { pages: 4, queryPages: 2, bytes: 100 };
const plain = (key: string) => pageName(key, { hasQuery: false, isDeclared: false });
const query = (key: string) => pageName(key, { hasQuery: true, isDeclared: false });

Deno.test("PageIndex drops pages with a query if there are too many", () => {
  const index = new PageIndex([], LIMITS);
  assert.deepEqual(index.add(plain("a"), 1), []);
  assert.deepEqual(["1", "2", "3", "4"].flatMap((key) => index.add(query(key), 1)), [
    query("1"),
    query("2"),
  ]);
  assert.deepEqual(index.names(), [plain("a"), query("3"), query("4")]);
});

Deno.test("PageIndex tracks whether a server declared any of its pages cacheable", () => {
  const index = new PageIndex([{ name: plain("a"), bytes: 1 }], LIMITS);
  assert.equal(index.hasDeclared, false);
  index.add(pageName("b", { hasQuery: false, isDeclared: true }), 1);
  assert.equal(index.hasDeclared, true);
});

Deno.test("PageIndex stays within its limits, and evicts pages that were not requested", () => {
  const index = new PageIndex(
    ["a", "b", "c"].map((key) => ({ name: plain(key), bytes: 10 })),
    LIMITS,
  );
  index.touch(plain("a"));
  assert.deepEqual(index.add(query("d"), 10), []);
  assert.deepEqual(index.add(plain("e"), 10), [query("d")]);
  assert.deepEqual(index.add(plain("f"), 70), [plain("b"), plain("c")].slice(0, 1));
  assert.deepEqual(index.add(plain("a"), 10), []);
});
