import assert from "node:assert/strict";
import fc from "fast-check";
import { DistinctCount } from "./distinct_count.ts";
import { Distribution } from "./distribution.ts";
import { TopList } from "./top_list.ts";
import { VisitorHash } from "./visitor_hash.ts";

const values = fc.array(fc.integer({ min: 0, max: 30 }).map(String), { maxLength: 400 });

function listOf(items: readonly string[], capacity = 5): TopList {
  const list = new TopList(capacity);
  for (const item of items) list.add(item);
  return list;
}

Deno.test("TopList returns each value's count within the reported error", () => {
  fc.assert(fc.property(values, values, (first, second) => {
    const list = listOf(first);
    list.merge(listOf(second).encode());
    const all = [...first, ...second];
    const shown = new Map(list.top(100).map(({ value, count }) => [value, count]));
    assert.ok(list.missed <= all.length / 5, `${list.missed} of ${all.length}`);
    for (const value of new Set(all)) {
      const real = all.filter((item) => item === value).length;
      const count = shown.get(value) ?? 0;
      assert.ok(count <= real && count >= real - list.missed, `${value}: ${count} of ${real}`);
    }
  }));
});

Deno.test("TopList is exact for few values and lists the most frequent first", () => {
  assert.deepEqual(listOf(["b", "a", "b", "c", "a", "b"]).top(2), [
    { value: "b", count: 3 },
    { value: "a", count: 2 },
  ]);
});

Deno.test("TopList never contains more values than its limit", () => {
  const list = listOf(Array.from({ length: 10_000 }, (_, index) => `value ${index}`), 50);
  assert.ok(list.encode().counts.length <= 50);
});

function visitors(from: number, to: number): DistinctCount {
  const hash = new VisitorHash(new Uint8Array(16).map((_, index) => index * 7));
  const browser = hash.browser("Mozilla/5.0");
  const count = new DistinctCount();
  for (let visitor = from; visitor < to; visitor++) {
    const ip = `10.${visitor >> 16 & 255}.${visitor >> 8 & 255}.${visitor & 255}`;
    count.add(hash.first(ip, browser), hash.second(ip, browser));
  }
  return count;
}

for (const many of [0, 1, 10, 300, 5000, 50_000]) {
  Deno.test(`DistinctCount counts ${many} visitors to within 5%, even if counts are merged`, () => {
    const half = Math.floor(many / 2);
    const merged = visitors(0, half);
    merged.merge(visitors(Math.floor(half / 2), many).encode());
    for (const count of [visitors(0, many).count(), merged.count()]) {
      assert.ok(Math.abs(count - many) <= many * 0.05, `${count} of ${many}`);
    }
  });
}

Deno.test("DistinctCount depends neither on the order of visits nor on repeat visits", () => {
  const [once, twice] = [visitors(0, 3000), visitors(1500, 3000)];
  twice.merge(visitors(0, 2000).encode());
  assert.deepEqual(twice.count(), once.count());
  assert.ok(once.encode().byteLength <= 4096);
});

Deno.test("VisitorHash returns different hashes for different salts", () => {
  const first = new VisitorHash(new Uint8Array(16).fill(1));
  const second = new VisitorHash(new Uint8Array(16).fill(2));
  const of = (hash: VisitorHash) => hash.first("192.0.2.1", hash.browser("Mozilla/5.0"));
  assert.notEqual(of(first), of(second));
});

const times = fc.array(fc.double({ min: 0.02, max: 500_000, noNaN: true }), {
  minLength: 1,
  maxLength: 300,
});

Deno.test("Distribution finds every quantile to within 2.1%, even after a merge", () => {
  fc.assert(fc.property(times, times, fc.double({ min: 0, max: 1, noNaN: true }), (a, b, q) => {
    const merged = new Distribution();
    const other = new Distribution();
    for (const ms of a) merged.add(ms);
    for (const ms of b) other.add(ms);
    merged.merge(other.encode());
    const sorted = [...a, ...b].sort((left, right) => left - right);
    const real = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)]!;
    const found = merged.quantile(q)!;
    assert.ok(Math.abs(found - real) <= real * 0.021, `${found} for ${real}`);
  }));
});

Deno.test("Distribution counts zero, negative, infinite and NaN times", () => {
  const distribution = new Distribution();
  for (const ms of [0, -1, NaN, 1e12, Infinity]) distribution.add(ms);
  assert.equal(distribution.count, 5);
  assert.equal(new Distribution().quantile(0.5), null);
});
