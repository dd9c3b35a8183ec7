import assert from "node:assert/strict";
import type { StoreFacts } from "../../serve/mod.ts";
import { judgeStore } from "./storages.ts";

const WELL: StoreFacts = {
  version: "16.4",
  versionNumber: 160_004,
  mayWrite: true,
  isMade: true,
  standbys: 'ANY 1 ("a","b")',
  commitsWait: true,
  skewMs: -3,
};

const statesOf = (facts: Partial<StoreFacts>) =>
  judgeStore({ ...WELL, ...facts }).map(({ state }) => state).join(" ");

Deno.test("judgeStore() judges the version, rights, standbys and clock", () => {
  assert.equal(statesOf({}), "ok ok ok");
  assert.equal(statesOf({ versionNumber: 130_009 }), "fail ok ok");
  assert.equal(statesOf({ mayWrite: false }), "fail ok ok");
  assert.equal(statesOf({ standbys: "" }), "ok warn ok");
  assert.equal(statesOf({ commitsWait: false }), "ok warn ok");
  assert.equal(statesOf({ skewMs: -5000 }), "ok ok warn");
  const [rights] = judgeStore({ ...WELL, mayWrite: false, isMade: false });
  assert.match(rights!.advice!, /Grant the role CREATE on the database/);
});
