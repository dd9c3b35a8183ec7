import assert from "node:assert/strict";
import { encodeKey, type RecordKey } from "../../store/mod.ts";
import { keys } from "../../platform/core/store/mod.ts";
import { differences, isTolerable, type RawRecord } from "./raw_record.ts";

const record = (key: RecordKey, value: string, leftMs?: number): RawRecord => ({
  key: encodeKey(key),
  value: new TextEncoder().encode(value),
  leftMs,
});

async function* each(records: readonly RawRecord[]) {
  yield* records;
}

async function kindsOf(from: readonly RawRecord[], to: readonly RawRecord[]) {
  const found = await Array.fromAsync(differences(each(from), each(to)));
  return found.map(({ kind, record }) => `${kind} ${new TextDecoder().decode(record.key)}`);
}

Deno.test("differences() reports missing, different and extra records in a target", async () => {
  const from = [record(["a"], "1"), record(["b"], "2"), record(["d"], "4")];
  const to = [record(["b"], "other"), record(["c"], "3"), record(["d"], "4"), record(["e"], "5")];
  const text = (key: string) => `\x02${key}\0`;
  assert.deepEqual(await kindsOf(from, to), [
    `missing ${text("a")}`,
    `changed ${text("b")}`,
    `more ${text("c")}`,
    `same ${text("d")}`,
    `more ${text("e")}`,
  ]);
});

Deno.test("differences() distinguishes counters from bytes and compares expiries", async () => {
  const counter = { ...record(["a"], ""), value: new Deno.KvU64(1n) };
  const one = await kindsOf([counter], [record(["a"], "1")]);
  assert.match(one.join(), /^changed/);
  assert.match(
    (await kindsOf([record(["a"], "1", 90_000)], [record(["a"], "1")])).join(),
    /^changed/,
  );
  const moved = [record(["a"], "1", 90_000)];
  assert.match((await kindsOf(moved, [record(["a"], "1", 89_000)])).join(), /^same/);
});

Deno.test("differences() omits expired records and records that belong to only one store", async () => {
  const mark = record(keys.meta("move"), "mark");
  assert.deepEqual(await kindsOf([record(["a"], "1", -5)], [record(["b"], "2", 0), mark]), []);
});

Deno.test("isTolerable() accepts a record missing from one store if it is about to expire", async () => {
  const isSameAs = async (from: readonly RawRecord[], to: readonly RawRecord[]) =>
    (await Array.fromAsync(differences(each(from), each(to)))).every(isTolerable);
  const soon = [record(["a"], "1", 200)];
  assert.ok(await isSameAs(soon, []));
  assert.ok(await isSameAs([], soon));
  assert.ok(await isSameAs(soon, [record(["a"], "1", -100)]));
  assert.ok(!await isSameAs([record(["a"], "1", 300_000)], []));
  assert.ok(!await isSameAs([record(["a"], "1")], []));
  assert.ok(!await isSameAs([], [record(["a"], "1")]));
  assert.ok(!await isSameAs(soon, [record(["a"], "2", 200)]));
});
