import assert from "node:assert/strict";
import { Usage } from "./usage.ts";

const BOATS = ["harbour", "production"];
const KEY = { bytes: 100, keys: 1 };
const MINUTE = 60_000;

/** A namespace with room for five keys, to which other processes write too. */
function namespaceWith({ isOnlyWriter }: { readonly isOnlyWriter: boolean }) {
  const stored = { bytes: 0, keys: 0 };
  const seen = { now: 1_000_000, counts: 0 };
  const usage = new Usage({
    quota: { bytes: 500, keys: 100 },
    count() {
      seen.counts++;
      return Promise.resolve({ ...stored });
    },
    isOnlyWriter,
    now: () => seen.now,
  });
  const put = (keys: number) => Object.assign(stored, { keys, bytes: keys * 100 });
  return { usage, seen, put };
}

Deno.test("Usage.reserve() notices space that another process has freed", async () => {
  const { usage, seen, put } = namespaceWith({ isOnlyWriter: false });
  put(5);
  assert.match(await usage.reserve(BOATS, KEY) ?? "", /at most 500 B/);
  put(4);
  seen.now += 4_999;
  assert.notEqual(await usage.reserve(BOATS, KEY), undefined, "it has just been counted");
  seen.now++;
  const all = await Promise.all([usage.reserve(BOATS, KEY), usage.reserve(BOATS, KEY)]);
  assert.equal(all.filter((reason) => reason === undefined).length, 1);
  assert.equal(seen.counts, 2, "concurrent writes share a count");
});

Deno.test("Usage.reserve() notices within ten minutes what other processes have added", async () => {
  const { usage, seen, put } = namespaceWith({ isOnlyWriter: false });
  assert.equal(await usage.reserve(BOATS, KEY), undefined);
  put(5);
  seen.now += 10 * MINUTE - 1;
  assert.equal(await usage.reserve(BOATS, KEY), undefined);
  seen.now++;
  assert.notEqual(await usage.reserve(BOATS, KEY), undefined);
  assert.deepEqual(await usage.of(BOATS), { bytes: 500, keys: 5 });
});

Deno.test("Usage.reserve() counts a namespace once if no other process writes", async () => {
  const { usage, seen } = namespaceWith({ isOnlyWriter: true });
  for (let count = 1; count <= 5; count++) {
    assert.equal(await usage.reserve(BOATS, KEY), undefined);
    seen.now += 11 * MINUTE;
  }
  assert.notEqual(await usage.reserve(BOATS, KEY), undefined);
  assert.equal(seen.counts, 1);
});

Deno.test("Usage.undo() does not subtract a removed value that was never counted", async () => {
  const { usage, put } = namespaceWith({ isOnlyWriter: true });
  put(2);
  await usage.undo(BOATS, KEY);
  assert.deepEqual(await usage.of(BOATS), { bytes: 200, keys: 2 });
});
