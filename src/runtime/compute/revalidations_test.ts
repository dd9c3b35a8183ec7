import assert from "node:assert/strict";
import { toPayload } from "../process/frames/payload.ts";
import { MAX_REVALIDATION_BYTES, MAX_REVALIDATIONS_PER_SECOND } from "./engine/revalidation.ts";
import { Revalidations } from "./revalidations.ts";

const ASKED = { paths: ["/a"], tags: ["t"], soft: true };

Deno.test("Revalidations passes on valid requests, and reports why others fail", async () => {
  const seen: unknown[] = [];
  const revalidations = new Revalidations(() => 0, (what) => {
    seen.push(what);
    return Promise.resolve();
  });
  assert.deepEqual(await revalidations.answer(toPayload(ASKED)), {});
  assert.deepEqual(seen, [ASKED]);
  for (
    const payload of [
      toPayload({ paths: ["a"] }),
      new TextEncoder().encode("{"),
      new Uint8Array(MAX_REVALIDATION_BYTES + 1),
    ]
  ) {
    assert.ok((await revalidations.answer(payload)).problem);
  }
  assert.equal(seen.length, 1);
});

Deno.test("Revalidations refuses a server with too many requests until the next second", async () => {
  let now = 0;
  let count = 0;
  const revalidations = new Revalidations(() => now, () => {
    count++;
    return Promise.resolve();
  });
  for (let call = 0; call < MAX_REVALIDATIONS_PER_SECOND; call++) {
    assert.deepEqual(await revalidations.answer(toPayload(ASKED)), {});
  }
  assert.match(
    (await revalidations.answer(toPayload(ASKED))).problem!,
    /more than 100 revalidations per second/,
  );
  now = 1000;
  assert.deepEqual(await revalidations.answer(toPayload(ASKED)), {});
  assert.equal(count, MAX_REVALIDATIONS_PER_SECOND + 1);
});

Deno.test("Revalidations responds with the reason why the platform refused", async () => {
  const revalidations = new Revalidations(() => 0, () => Promise.reject(new Error("no such path")));
  assert.deepEqual(await revalidations.answer(toPayload(ASKED)), { problem: "no such path" });
});
