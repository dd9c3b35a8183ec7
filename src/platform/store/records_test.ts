import assert from "node:assert/strict";
import { z } from "zod";
import {
  commitWithRetries,
  ContentionError,
  DamagedRecordError,
  readPage,
  readRecord,
} from "./records.ts";

const schema = z.object({ n: z.number() });

async function withKv(run: (kv: Deno.Kv) => Promise<void>) {
  const kv = await Deno.openKv(":memory:");
  try {
    await run(kv);
  } finally {
    kv.close();
  }
}

Deno.test("readRecord() parses what it reads", () =>
  withKv(async (kv) => {
    await kv.set(["a"], { n: 1 });
    await kv.set(["b"], { n: "1" });
    assert.deepEqual((await readRecord(kv, ["a"], schema))?.value, { n: 1 });
    assert.equal(await readRecord(kv, ["c"], schema), undefined);
    await assert.rejects(readRecord(kv, ["b"], schema), DamagedRecordError);
  }));

Deno.test("readPage() goes through all records, newest first, each once", () =>
  withKv(async (kv) => {
    for (let n = 0; n < 7; n++) await kv.set(["r", `id${n}`], { n });
    const seen: number[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await readPage(kv, ["r"], { schema, limit: 3, cursor });
      seen.push(...page.items.map((item) => item.n));
      cursor = page.nextCursor ?? undefined;
      pages++;
    } while (cursor !== undefined);
    assert.deepEqual(seen, [6, 5, 4, 3, 2, 1, 0]);
    assert.equal(pages, 3);
  }));

Deno.test("readPage() has no next page when the last is exactly full", () =>
  withKv(async (kv) => {
    for (let n = 0; n < 3; n++) await kv.set(["r", `id${n}`], { n });
    assert.equal((await readPage(kv, ["r"], { schema, limit: 3 })).nextCursor, null);
  }));

Deno.test("commitWithRetries() loses no update among concurrent writers", () =>
  withKv(async (kv) => {
    const key = ["count"];
    await kv.set(key, { n: 0 });
    await Promise.all(Array.from({ length: 8 }, () =>
      commitWithRetries(async () => {
        const current = await readRecord(kv, key, schema);
        const n = current!.value.n + 1;
        const check = { key, versionstamp: current!.versionstamp };
        return { operation: kv.atomic().check(check).set(key, { n }), result: n };
      })));
    assert.equal((await readRecord(kv, key, schema))?.value.n, 8);
  }));

Deno.test("commitWithRetries() gives up on a record that never holds still", () =>
  withKv(async (kv) => {
    const attempt = () =>
      Promise.resolve({
        operation: kv.atomic().check({ key: ["x"], versionstamp: "00000000000000000000" }),
        result: 0,
      });
    await assert.rejects(commitWithRetries(attempt), ContentionError);
  }));
