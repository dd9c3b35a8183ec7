import assert from "node:assert/strict";
import { EMPTY_HEAD, InboxIndex } from "./inbox_index.ts";
import { InboxMemory } from "./inbox_memory.ts";
import { InboxPage } from "./inbox_page.ts";

/** Creates an `InboxMemory` with room for two pages, for inboxes with one page each. */
function memoryOfTwo(isBusy: (userId: string) => boolean = () => false) {
  const loads: string[] = [];
  const memory = new InboxMemory({
    load: (userId) => {
      loads.push(userId);
      const page = { number: 0, page: new InboxPage(), removedIds: [], behind: false };
      return Promise.resolve(new InboxIndex(EMPTY_HEAD, [page]));
    },
    isBusy,
    maxPages: 2,
  });
  return { memory, loads };
}

Deno.test("InboxMemory evicts the least recently used inbox", async () => {
  const { memory, loads } = memoryOfTwo();
  for (const userId of ["a", "b", "a", "c", "a", "b"]) {
    await memory.open(userId);
    await memory.idle();
  }
  assert.deepEqual(loads, ["a", "b", "c", "b"]);
});

Deno.test("InboxMemory keeps an inbox that is being changed", async () => {
  const { memory, loads } = memoryOfTwo((userId) => userId === "a");
  const gate = Promise.withResolvers<void>();
  const changing = memory.change("b", () => gate.promise);
  for (const userId of ["a", "c", "d", "a"]) await memory.open(userId);
  gate.resolve();
  await changing;
  await memory.open("b");
  assert.deepEqual(loads.filter((userId) => userId === "a" || userId === "b").sort(), ["a", "b"]);
});

Deno.test("InboxMemory runs changes to an inbox one after the other, even after one fails", async () => {
  const { memory } = memoryOfTwo();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = memory.change("a", async () => {
    await gate.promise;
    order.push("first");
    throw new Error("no room");
  });
  const second = memory.change("a", () => Promise.resolve(order.push("second")));
  const other = memory.change("b", () => Promise.resolve(order.push("other")));
  await other;
  gate.resolve();
  await assert.rejects(first, /no room/);
  await second;
  assert.deepEqual(order, ["other", "first", "second"]);
});
