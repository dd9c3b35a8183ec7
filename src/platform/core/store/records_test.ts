import assert from "node:assert/strict";
import * as z from "zod";
import { withTwoProcesses } from "./_test_checks.ts";
import { DamagedRecordError } from "./damaged_record.ts";
import { LOCAL_LIMITS } from "./commit_group.ts";
import { sharingCommitter } from "./group_committer.ts";
import { GroupedStore } from "./grouped_store.ts";
import { toFailure } from "../http/failure.ts";
import {
  commitVersioned,
  commitWithRetries,
  ContentionError,
  readPage,
  readRecord,
} from "./records.ts";
import { DenoStore, type Operation, type RecordKey, type RecordStore } from "../../../store/mod.ts";

const schema = z.object({ n: z.number() });

async function withKv(run: (kv: RecordStore) => Promise<void>) {
  const kv = await DenoStore.open(":memory:");
  try {
    await run(kv);
  } finally {
    kv.close();
  }
}

Deno.test("readRecord() parses the record", () =>
  withKv(async (kv) => {
    await kv.set(["a"], { n: 1 });
    await kv.set(["b"], { n: "1" });
    assert.deepEqual((await readRecord(kv, ["a"], schema))?.value, { n: 1 });
    assert.equal(await readRecord(kv, ["c"], schema), undefined);
    await assert.rejects(readRecord(kv, ["b"], schema), DamagedRecordError);
  }));

Deno.test("readPage() goes through all records, newest first, without duplicates", () =>
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

Deno.test("readPage() returns no next page if the last page is exactly full", () =>
  withKv(async (kv) => {
    for (let n = 0; n < 3; n++) await kv.set(["r", `id${n}`], { n });
    assert.equal((await readPage(kv, ["r"], { schema, limit: 3 })).nextCursor, null);
  }));

Deno.test("readPage() ends a page of a filtered list after many records, and continues from there", () =>
  withKv(async (kv) => {
    const count = 4100;
    for (let from = 0; from < count; from += 500) {
      const operation = kv.atomic();
      for (let n = from; n < Math.min(count, from + 500); n++) {
        operation.set(["r", `id${String(n).padStart(5, "0")}`], { n });
      }
      await operation.commit();
    }
    const pages: number[][] = [];
    let cursor: string | undefined;
    do {
      const page = await readPage(kv, ["r"], {
        schema,
        limit: 2,
        cursor,
        shows: ({ n }) => n < 3 || n === 4000,
      });
      pages.push(page.items.map((item) => item.n));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(pages, [[4000], [], [2, 1], [0]]);
  }));

/** Adds one to a count, and counts the attempts. */
const increment = (kv: RecordStore, key: RecordKey, tries: { count: number }) =>
  commitWithRetries(kv, [key], async (operation) => {
    tries.count++;
    const current = await readRecord(kv, key, schema);
    const n = current!.value.n + 1;
    const check = { key, versionstamp: current!.versionstamp };
    operation.check(check).set(key, { n });
    return n;
  });

Deno.test("commitWithRetries() runs a record's writers one by one, without retries", () =>
  withKv(async (kv) => {
    const key = ["count"];
    const tries = { count: 0 };
    await kv.set(key, { n: 0 });
    const numbers = Array.from({ length: 100 }, () => increment(kv, key, tries));
    assert.deepEqual(
      await Promise.all(numbers),
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    assert.equal(tries.count, 100);
  }));

Deno.test("commitWithRetries() lets commits that only check a record run together", () =>
  withKv(async (under) => {
    const kv = new GroupedStore(under, sharingCommitter(under, LOCAL_LIMITS));
    const project = ["project"];
    const { versionstamp } = await kv.set(project, new Uint8Array([1]));
    const add = (n: number) =>
      commitVersioned(kv, [["part", n]], (operation) => {
        operation.check({ key: project, versionstamp }).set(["part", n], new Uint8Array([n]));
        return Promise.resolve(n);
      }, { checked: [project] });
    const added = await Promise.all(Array.from({ length: 10 }, (_, n) => add(n)));
    assert.equal(new Set(added.map((each) => each.versionstamp)).size, 1);
  }));

Deno.test("commitWithRetries() refuses a change if 1,000 others are waiting, and says when to retry", () =>
  withKv(async (kv) => {
    const key = ["count"];
    await kv.set(key, { n: 0 });
    const tries = { count: 0 };
    const running = Array.from({ length: 1000 }, () => increment(kv, key, tries));
    const refused = await increment(kv, key, tries).catch((error) => error);
    const { status, retryAfter } = toFailure(refused);
    assert.deepEqual({ status, retryAfter }, { status: 503, retryAfter: 1 });
    await Promise.all(running);
    assert.equal(await increment(kv, key, tries), 1001);
    assert.equal(tries.count, 1001);
  }));

Deno.test("commitWithRetries() keeps the checks, because other processes can write too", () =>
  withTwoProcesses(async (one, other) => {
    const key = ["count"];
    await one.set(key, { n: 0 });
    const tries = { count: 0 };
    const writers = Array.from(
      { length: 30 },
      (_, index) => increment(index % 2 === 0 ? one : other, key, tries),
    );
    await Promise.all(writers);
    assert.equal((await readRecord(one, key, schema))?.value.n, 30);
  }));

Deno.test("commitWithRetries() gives up if a record keeps changing, and says when to retry", () =>
  withKv(async (kv) => {
    const attempt = (operation: Operation) => {
      operation.check({ key: ["x"], versionstamp: "00000000000000000000" });
      return Promise.resolve(0);
    };
    const given = await commitWithRetries(kv, [["x"]], attempt).catch((error) => error);
    assert.ok(given instanceof ContentionError);
    const { status, retryAfter } = toFailure(given);
    assert.deepEqual({ status, retryAfter }, { status: 409, retryAfter: 1 });
  }));
