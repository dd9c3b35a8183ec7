import assert from "node:assert/strict";
import { encodeKey } from "../../store/mod.ts";
import { keys } from "../../platform/core/store/mod.ts";
import { differences, type RawRecord } from "./raw_record.ts";

const record = (key: Deno.KvKey, value: string, leftMs?: number): RawRecord => ({
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

Deno.test("differences() names what a target lacks, has otherwise, and has too much", async () => {
  const from = [record(["a"], "1"), record(["b"], "2"), record(["d"], "4")];
  const to = [record(["b"], "other"), record(["c"], "3"), record(["d"], "4"), record(["e"], "5")];
  const text = (key: string) => `\x02${key}\0`;
  assert.deepEqual(await kindsOf(from, to), [
    `set ${text("a")}`,
    `set ${text("b")}`,
    `delete ${text("c")}`,
    `same ${text("d")}`,
    `delete ${text("e")}`,
  ]);
});

Deno.test("differences() tells a counter from bytes, and a record that expires from one that does not", async () => {
  const counter = { ...record(["a"], ""), value: new Deno.KvU64(1n) };
  const one = await kindsOf([counter], [record(["a"], "1")]);
  assert.match(one.join(), /^set/);
  assert.match((await kindsOf([record(["a"], "1", 90_000)], [record(["a"], "1")])).join(), /^set/);
  const moved = [record(["a"], "1", 90_000)];
  assert.match((await kindsOf(moved, [record(["a"], "1", 89_000)])).join(), /^same/);
});

Deno.test("differences() leaves out what has expired, and what belongs to one store", async () => {
  const mark = record(keys.meta("move"), "mark");
  assert.deepEqual(await kindsOf([record(["a"], "1", -5)], [record(["b"], "2", 0), mark]), []);
});
