import assert from "node:assert/strict";
import { newerMigrations } from "./newer_schema.ts";

/** Production's deployments, newest first. */
const items = [
  { id: "e", isProduction: false, migration: "changed" },
  { id: "d", isProduction: true, migration: "changed" },
  { id: "c", isProduction: false, migration: "unchanged" },
  { id: "b", isProduction: false, migration: "changed" },
  { id: "a", isProduction: false, migration: undefined },
] as const;

/** Targets, each with the newer deployments whose schema changes stay applied. */
const CASES: readonly (readonly [string | undefined, readonly string[]])[] = [
  [undefined, ["e", "d"]],
  ["d", ["e"]],
  ["c", ["e", "d"]],
  ["b", ["e", "d"]],
  ["a", ["e", "d", "b"]],
  ["older", ["e", "d", "b"]],
];

for (const [to, expected] of CASES) {
  Deno.test(`newerMigrations() finds migrations after ${to ?? "the previous deployment"}`, () => {
    assert.deepEqual(newerMigrations(items, to), expected);
  });
}
