import assert from "node:assert/strict";
import { IsrMemory } from "./isr_memory.ts";
import { toStoredResponse } from "./page_record.ts";
import type { IsrEntry } from "./types.ts";

const SIZE = 10_000;

function page(key: string): IsrEntry {
  const record = {
    key,
    path: `/${key}`,
    status: 200,
    askedAt: 0,
    headers: [],
    body: new TextEncoder().encode(key.padEnd(SIZE, ".")),
  };
  return {
    key,
    name: key,
    path: record.path,
    requested: { at: 0 },
    headBytes: 500,
    stored: toStoredResponse(record, 60),
    judgedAt: 0,
    retryAt: 0,
    hit: undefined,
  };
}

const textOf = (memory: IsrMemory, key: string) => {
  const found = memory.get(key);
  return found && String(found.stored.body).trimEnd().replace(/\.+$/, "");
};

Deno.test("pages in memory make room for newer pages, and release their memory", () => {
  const memory = new IsrMemory(10 * SIZE);
  for (let number = 0; number < 50; number++) {
    memory.put(`page ${number}`, page(`page ${number}`));
    assert.equal(textOf(memory, `page ${number}`), `page ${number}`);
    assert.ok(memory.byteLength <= 10 * SIZE);
  }
  assert.equal(textOf(memory, "page 0"), undefined);
  for (const [key] of [...memory.under("page ")]) memory.delete(key);
  assert.equal(memory.byteLength, 0);
});

Deno.test("a page that is larger than the memory is served and not stored", () => {
  const memory = new IsrMemory(SIZE);
  const returned = memory.put("menu", page("menu"));
  assert.equal(returned.stored.body.length, SIZE);
  assert.deepEqual([memory.get("menu"), memory.byteLength], [undefined, 0]);
});
