import assert from "node:assert/strict";
import { beginCall, makeBegunCell, takeBackCalls } from "./begun_calls.ts";

Deno.test("withdrawn calls do not begin, but later calls do", () => {
  const cell = makeBegunCell();
  assert.ok(beginCall(cell, 2));
  assert.ok(beginCall(cell, 4));
  assert.equal(takeBackCalls(cell, 10), 4);
  assert.deepEqual([6, 8, 10, 12].map((id) => beginCall(cell, id)), [false, false, false, true]);
});

Deno.test("if all calls have begun, no call is withdrawn", () => {
  const cell = makeBegunCell();
  assert.ok(beginCall(cell, 2));
  assert.equal(takeBackCalls(cell, 2), 2);
  assert.ok(beginCall(cell, 4));
});

Deno.test("each call either begins or is withdrawn, whichever thread acts first", async () => {
  const cell = makeBegunCell();
  const source = `
    import { beginCall } from ${JSON.stringify(import.meta.resolve("./begun_calls.ts"))};
    onmessage = ({ data: cell }) => {
      const begun = [];
      for (let id = 2; id <= 200_000; id += 2) if (beginCall(cell, id)) begun.push(id);
      postMessage(begun);
    };`;
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(source)}`, {
    type: "module",
  });
  const answer = new Promise<number[]>((resolve) => worker.onmessage = ({ data }) => resolve(data));
  worker.postMessage(cell);
  const taken = new Set<number>();
  for (let last = 10; last <= 200_000; last += 10) {
    const begun = takeBackCalls(cell, last);
    for (let id = Math.max(begun + 2, last - 8); id <= last; id += 2) taken.add(id);
  }
  const begun = await answer;
  worker.terminate();
  assert.deepEqual(begun.filter((id) => taken.has(id)), [], "no call both begins and is withdrawn");
  assert.equal(begun.length + taken.size, 100_000, "every call begins or is withdrawn");
});
