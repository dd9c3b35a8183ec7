import assert from "node:assert/strict";
import fc from "fast-check";
import { formatAge, formatBytes, formatCount, formatDuration, printable } from "./format.ts";
import { formatFacts, formatTable } from "./table.ts";

const sizes: [bytes: number, text: string][] = [
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1.0 KiB"],
  [13_370, "13.1 KiB"],
  [1_048_524, "1023.9 KiB"],
  [1_048_525, "1.0 MiB"],
  [4 * 1024 ** 3, "4.0 GiB"],
];

for (const [bytes, text] of sizes) {
  Deno.test(`formatBytes() writes ${bytes} as ${text}`, () => {
    assert.equal(formatBytes(bytes), text);
  });
}

const durations: [milliseconds: number, text: string][] = [
  [0.4, "0 ms"],
  [340, "340 ms"],
  [2440, "2.4 s"],
  [200_000, "3 min 20 s"],
];

for (const [milliseconds, text] of durations) {
  Deno.test(`formatDuration() writes ${milliseconds} as ${text}`, () => {
    assert.equal(formatDuration(milliseconds), text);
  });
}

const NOW = Date.parse("2026-11-21T10:00:00Z");
const ages: [timestamp: string, text: string][] = [
  ["2026-11-21T09:59:30Z", "just now"],
  ["2026-11-21T10:05:00Z", "just now"],
  ["2026-11-21T09:55:00Z", "5 min ago"],
  ["2026-11-20T07:00:00Z", "27 h ago"],
  ["2026-11-11T10:00:00Z", "10 days ago"],
];

for (const [timestamp, text] of ages) {
  Deno.test(`formatAge() writes ${timestamp} as ${text}`, () => {
    assert.equal(formatAge(timestamp, NOW), text);
  });
}

Deno.test("formatCount() uses singular and plural", () => {
  assert.deepEqual([0, 1, 2].map((count) => formatCount(count, "file")), [
    "0 files",
    "1 file",
    "2 files",
  ]);
});

Deno.test("printable() leaves nothing that can control a terminal", () => {
  assert.equal(printable("\x1b[2Jüser\u202e\r"), "\\x1b[2Jüser\\u202e\\x0d");
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    // deno-lint-ignore no-control-regex -- matches the control characters that must not be left
    assert.doesNotMatch(printable(text), /[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  }));
});

Deno.test("formatTable() stacks the rows that a narrow terminal cannot show side by side", () => {
  const rows = [["kestrel", "http://kestrel.localhost:8787", "1"], ["b", "", "2"]];
  assert.equal(
    formatTable(["NAME", "URL", "N"], rows, 40),
    "NAME  kestrel\nURL   http://kestrel.localhost:8787\nN     1\n\nNAME  b\nN     2",
  );
});

Deno.test("formatTable() aligns columns and keeps each row on its line", () => {
  const rows = [["a", "x\ny", "1"], ["long one", "", "22"]];
  assert.equal(
    formatTable(["NAME", "TEXT", "N"], rows),
    ["NAME      TEXT  N", "a         x y   1", "long one        22"].join("\n"),
  );
});

Deno.test("formatFacts() omits facts without a value", () => {
  assert.equal(
    formatFacts([["name", "blog"], ["git url", null], ["id", "1"], ["x", undefined]]),
    "name  blog\nid    1",
  );
});
