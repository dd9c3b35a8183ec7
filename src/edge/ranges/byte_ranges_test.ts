import assert from "node:assert/strict";
import fc from "fast-check";
import { parseRange, rangeLength } from "./byte_ranges.ts";

const IGNORED = "ignore";
const rows: readonly (readonly [name: string, value: string, expected: unknown])[] = [
  ["first and last", "bytes=0-9", [[0, 9]]],
  ["one byte", "bytes=0-0", [[0, 0]]],
  ["open end", "bytes=90-", [[90, 99]]],
  ["end beyond the file", "bytes=90-1000", [[90, 99]]],
  ["suffix", "bytes=-10", [[90, 99]]],
  ["suffix longer than the file", "bytes=-1000", [[0, 99]]],
  ["unit in capitals", "Bytes=0-1", [[0, 1]]],
  ["spaces around ranges", "bytes= 0-1 , 5-6", [[0, 1], [5, 6]]],
  ["empty list members", "bytes=,0-1,,", [[0, 1]]],
  ["order of the request is kept", "bytes=50-59,0-9", [[50, 59], [0, 9]]],
  ["a part outside is skipped", "bytes=0-9,200-300", [[0, 9]]],
  ["start beyond the file", "bytes=100-", "unsatisfiable"],
  ["empty suffix", "bytes=-0", "unsatisfiable"],
  ["all parts outside", "bytes=100-,-0", "unsatisfiable"],
  ["last before first", "bytes=9-0", IGNORED],
  ["other unit", "lines=0-9", IGNORED],
  ["no range", "bytes=", IGNORED],
  ["no digits", "bytes=-", IGNORED],
  ["letters", "bytes=a-b", IGNORED],
  ["signs", "bytes=+1-2", IGNORED],
  ["one bad member invalidates the list", "bytes=0-1,x", IGNORED],
  ["overlapping ranges", "bytes=0-9,5-14", IGNORED],
  ["the same range twice", "bytes=0-9,0-9", IGNORED],
  ["too many ranges", `bytes=${Array.from({ length: 17 }, (_, i) => `${i}-${i}`)}`, IGNORED],
  ["too long", `bytes=0-9${" ".repeat(600)}`, IGNORED],
  ["more digits than any file has", "bytes=0-99999999999999999999", IGNORED],
];

function described(value: string, size: number): unknown {
  const request = parseRange(value, size);
  return request.type === "ranges"
    ? request.ranges.map((range) => [range.start, range.end])
    : request.type;
}

for (const [name, value, expected] of rows) {
  Deno.test(`parseRange() reads ranges of 100 bytes: ${name}`, () => {
    assert.deepEqual(described(value, 100), expected);
  });
}

Deno.test("parseRange() finds no byte in an empty file", () => {
  assert.equal(described("bytes=0-", 0), "unsatisfiable");
  assert.equal(described("bytes=-5", 0), "unsatisfiable");
});

Deno.test("parseRange() never leaves the file and never selects more than it has", () => {
  const spec = fc.oneof(
    fc.tuple(fc.nat(300), fc.nat(300)).map(([first, last]) => `${first}-${last}`),
    fc.nat(300).map((first) => `${first}-`),
    fc.nat(300).map((length) => `-${length}`),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(fc.property(fc.array(spec, { maxLength: 20 }), fc.nat(200), (specs, size) => {
    const request = parseRange(`bytes=${specs.join(",")}`, size);
    if (request.type !== "ranges") return;
    assert.ok(request.ranges.length > 0);
    for (const { start, end } of request.ranges) {
      assert.ok(0 <= start && start <= end && end < size);
    }
    assert.ok(request.ranges.reduce((sum, range) => sum + rangeLength(range), 0) <= size);
  }));
});
