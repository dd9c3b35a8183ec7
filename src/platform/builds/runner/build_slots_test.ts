import assert from "node:assert/strict";
import { BuildSlots } from "./build_slots.ts";

Deno.test("BuildSlots gives every running build a separate user", () => {
  const slots = new BuildSlots(100);
  const [one, two] = [slots.take("a"), slots.take("b")];
  assert.deepEqual([one.uid, two.uid], [100, 101]);
  slots.give("a", one);
  assert.equal(slots.take("c").uid, 100);
});

Deno.test("BuildSlots lets only one build of a project use its cache at a time", () => {
  const slots = new BuildSlots(100);
  const [first, second] = [slots.take("a"), slots.take("a")];
  assert.deepEqual([first.ownsCache, second.ownsCache], [true, false]);
  slots.give("a", second);
  assert.equal(slots.take("a").ownsCache, false);
  slots.give("a", first);
  assert.equal(slots.take("a").ownsCache, true);
});

Deno.test("BuildSlots gives a project the user that owns its cache, if that user is free", () => {
  const slots = new BuildSlots(100);
  const other = slots.take("x");
  const mine = slots.take("a");
  slots.give("a", mine);
  slots.give("x", other);
  assert.equal(slots.take("a").uid, mine.uid);
});
