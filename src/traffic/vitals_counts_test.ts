import assert from "node:assert/strict";
import { serialize } from "node:v8";
import { MAX_VITAL_PAGES, MAX_VITAL_PATH, VITALS, VitalsCounts } from "./vitals_counts.ts";

Deno.test("VitalsCounts returns the 75th percentile to within 5%, even if counts are merged", () => {
  const [whole, one, other] = [new VitalsCounts(), new VitalsCounts(), new VitalsCounts()];
  for (let ms = 1; ms <= 1000; ms++) {
    for (const counts of [whole, ms % 2 === 0 ? one : other]) {
      counts.add("/", { lcp: ms * 3, cls: 0 });
    }
  }
  one.merge(other.encode());
  assert.deepEqual(one.quantiles(), whole.quantiles());
  const { lcp, cls, inp } = whole.quantiles();
  assert.ok(Math.abs(lcp!.p75 - 2250) <= 0.05 * 2250, String(lcp!.p75));
  assert.deepEqual([lcp!.count, cls, inp], [1000, { count: 1000, p75: 0 }, undefined]);
  assert.deepEqual(whole.pages(5).map(({ path }) => path), ["/"]);
});

Deno.test("VitalsCounts keeps the most viewed pages, however many others there are", () => {
  const counts = new VitalsCounts();
  for (let page = 0; page < 5000; page++) {
    counts.add("/home", { lcp: 10 });
    counts.add(`/${page}`, { lcp: 20_000 });
  }
  assert.equal(counts.pages(1)[0]!.path, "/home");
  assert.equal(counts.pages(1)[0]!.vitals.lcp!.count, 5000);
  assert.equal(counts.quantiles().lcp!.count, 10_000);
  assert.equal(counts.encode().pages.length, MAX_VITAL_PAGES);
});

Deno.test("VitalsCounts fits into one store value when it is full", () => {
  const counts = new VitalsCounts();
  for (let page = 0; page < MAX_VITAL_PAGES; page++) {
    const path = `/${"é".repeat(MAX_VITAL_PATH - 4)}${page}`;
    for (let value = 1; value < 60_000; value *= 1.05) {
      counts.add(path, Object.fromEntries(VITALS.map((vital) => [vital, value])));
    }
  }
  const { length } = serialize({ vitals: counts.encode() });
  assert.ok(length < 60_000, `${length} bytes`);
});
