import assert from "node:assert/strict";
import fc from "fast-check";
import type { LogEntry } from "../../contract/logs.ts";
import { formatLogCursor, parseLogCursor } from "./log_cursor.ts";
import type { LogLine, LogPlace } from "./log_files.ts";
import { mergePages, type NodePage } from "./merge_pages.ts";

const entryOf = (node: string, time: number): LogEntry => ({
  type: "server",
  time: new Date(time).toISOString(),
  deploymentId: "01890000-0000-7000-8000-000000000001",
  requestId: null,
  layer: node,
  level: "info",
  message: String(time),
});

/** Returns a node's complete log, in which line `n` is at offset `n`. */
const logOf = (node: string, times: readonly number[]): readonly LogLine[] =>
  times.map((time, offset) => ({ entry: entryOf(node, time), place: { file: 1, offset } }));

function read(log: readonly LogLine[], before: LogPlace | undefined, limit: number): NodePage {
  const top = before ?? { file: 1, offset: log.length };
  const lines = log.slice(Math.max(0, top.offset - limit), top.offset);
  const next = lines.length === limit ? lines[0]!.place : null;
  return { lines, next, top };
}

const times = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 40 })
  .map((all) => all.sort((a, b) => a - b));

Deno.test("consecutive pages from several nodes contain every entry once, ordered by time", () => {
  fc.assert(
    fc.property(fc.array(times, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 7 }), (
      all,
      limit,
    ) => {
      const logs = new Map(all.map((each, index) => [`n${index}`, logOf(`n${index}`, each)]));
      let found: LogEntry[] = [];
      let cursor: ReadonlyMap<string, LogPlace> | undefined;
      for (let round = 0; round < 200; round++) {
        const pages = new Map(
          [...logs].filter(([node]) => cursor === undefined || cursor.has(node))
            .map(([node, log]) => [node, read(log, cursor?.get(node), limit)]),
        );
        const merged = mergePages(pages, limit);
        found = [...merged.items, ...found];
        const text = formatLogCursor(merged.cursor, { self: "n0", isShared: true });
        if (text === null) break;
        cursor = parseLogCursor(text, "n0");
      }
      const texts = (entries: readonly LogEntry[]) => entries.map((each) => JSON.stringify(each));
      assert.deepEqual(found.map(({ time }) => time), found.map(({ time }) => time).sort());
      const expected = [...logs.values()].flat().map(({ entry }) => entry);
      assert.deepEqual(texts(found).sort(), texts(expected).sort());
    }),
    { numRuns: 200 },
  );
});

Deno.test("mergePages() ends a page where a node has stopped its search", () => {
  const [line] = logOf("a", [30]);
  const place = { file: 1, offset: 5 };
  const searched: NodePage = { lines: [line!], next: place, top: { file: 2, offset: 0 } };
  const whole: NodePage = { lines: logOf("b", [10, 40]), next: null, top: { file: 1, offset: 2 } };
  const { items, cursor } = mergePages(new Map([["a", searched], ["b", whole]]), 10);
  assert.deepEqual(items.map(({ time }) => Date.parse(time)), [30, 40]);
  assert.deepEqual([...cursor], [["a", place], ["b", { file: 1, offset: 1 }]]);
});

Deno.test("parseLogCursor() accepts only cursors from formatLogCursor()", () => {
  const cursor = new Map([["a", { file: 1, offset: 2 }], ["rack-1.b", { file: 3, offset: 0 }]]);
  const text = formatLogCursor(cursor, { self: "a", isShared: true });
  assert.equal(text, "a:1.2,rack-1.b:3.0");
  assert.deepEqual(parseLogCursor(text!, "a"), cursor);
  assert.deepEqual(parseLogCursor("7.8", "a"), new Map([["a", { file: 7, offset: 8 }]]));
  assert.equal(
    formatLogCursor(new Map([["a", { file: 7, offset: 8 }]]), { self: "a", isShared: false }),
    "7.8",
  );
  for (const bad of ["", "a", "a:1", "a:1.2,", "A:1.2", "a:1.2;b:1.2", "a:-1.2"]) {
    assert.equal(parseLogCursor(bad, "a"), undefined, bad);
  }
});
