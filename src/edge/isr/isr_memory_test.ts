import assert from "node:assert/strict";
import { readBody, shareBodies, sharePool } from "../bodies/mod.ts";
import { IsrMemory, type NewPage } from "./isr_memory.ts";
import { toStoredResponse } from "./page_record.ts";

const SIZE = 10_000;

function page(key: string): NewPage {
  const record = {
    ...{ key, path: `/${key}`, status: 200, askedAt: 0, headers: [] },
    body: new TextEncoder().encode(key.padEnd(SIZE, ".")),
  };
  return {
    ...{ key, name: key, path: record.path, requested: { at: 0 }, headBytes: 500 },
    ...{ stored: toStoredResponse(record, 60), judgedAt: 0, retryAt: 0, hit: undefined },
  };
}

const textOf = (memory: IsrMemory, key: string) => {
  const found = memory.get(key);
  return found && String(readBody(found.stored.body)).trimEnd().replace(/\.+$/, "");
};

Deno.test("pages in memory that threads share make room for each other, and give it back", () => {
  const bodies = shareBodies(sharePool(10 * SIZE));
  const memory = new IsrMemory(10 * SIZE, bodies);
  for (let number = 0; number < 50; number++) {
    memory.put(`page ${number}`, page(`page ${number}`));
    assert.equal(textOf(memory, `page ${number}`), `page ${number}`);
    assert.ok(memory.byteLength <= 10 * SIZE);
  }
  assert.equal(textOf(memory, "page 0"), undefined);
  for (const [key] of [...memory.under("page ")]) memory.delete(key);
  assert.equal(memory.byteLength, 0);
  const all = new TextEncoder().encode("x".repeat(9 * SIZE));
  assert.notEqual(bodies.keep(all), undefined, "all of the pool is free");
});

Deno.test("a page for which there is no shared memory is served and not stored", () => {
  const memory = new IsrMemory(10 * SIZE, shareBodies(sharePool(SIZE / 2)));
  const returned = memory.put("menu", page("menu"));
  assert.equal(readBody(returned.stored.body)?.length, SIZE);
  assert.deepEqual([memory.get("menu"), memory.byteLength], [undefined, 0]);
});
