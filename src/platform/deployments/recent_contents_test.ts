import assert from "node:assert/strict";
import { RecentContents } from "./recent_contents.ts";

const contentOf = (files: number) => ({ files: Array.from({ length: files }, (_, n) => n) });

Deno.test("RecentContents evicts the least recently used content", () => {
  const recent = new RecentContents(1000);
  const [a, b, c] = [contentOf(300), contentOf(300), contentOf(300)];
  recent.set("a", a);
  recent.set("b", b);
  assert.equal(recent.get("a"), a);
  recent.set("c", c);
  assert.deepEqual([recent.get("a"), recent.get("b"), recent.get("c")], [a, undefined, c]);
});

Deno.test("RecentContents does not store large content, and keeps the other content", () => {
  const recent = new RecentContents(1000);
  const small = contentOf(1);
  recent.set("small", small);
  recent.set("large", contentOf(1000));
  assert.equal(recent.get("large"), undefined);
  assert.equal(recent.get("small"), small);
  recent.delete("small");
  assert.equal(recent.get("small"), undefined);
});
