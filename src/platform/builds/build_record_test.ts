import assert from "node:assert/strict";
import { type Admission, admit } from "./build_record.ts";

const [A, B] = ["a".repeat(40), "b".repeat(40)];
const active = (commitSha: string) => [{ id: "1", commitSha }];

const ROWS: readonly [string, Parameters<typeof admit>[0], boolean, Admission][] = [
  ["nothing is there", { active: [], identical: undefined }, false, { type: "create" }],
  [
    "it is live",
    { active: [], identical: { id: "9", status: "LIVE" } },
    false,
    { type: "identical", id: "9" },
  ],
  [
    "it waits",
    { active: active(A), identical: { id: "1", status: "PENDING" } },
    false,
    { type: "identical", id: "1" },
  ],
  ["it failed", { active: [], identical: { id: "9", status: "FAILED" } }, false, {
    type: "create",
  }],
  ["it was stopped", { active: [], identical: { id: "9", status: "STOPPED" } }, false, {
    type: "create",
  }],
  ["it is live, and forced", { active: [], identical: { id: "9", status: "LIVE" } }, true, {
    type: "create",
  }],
  [
    "it waits, and is forced",
    { active: active(A), identical: { id: "1", status: "PENDING" } },
    true,
    {
      type: "create",
    },
  ],
  ["another commit is built", { active: active(B), identical: undefined }, false, {
    type: "busy",
    id: "1",
    commitSha: B,
  }],
  ["another commit is built, and it is forced", { active: active(B), identical: undefined }, true, {
    type: "busy",
    id: "1",
    commitSha: B,
  }],
  [
    "it is live while another commit is built",
    { active: active(B), identical: { id: "9", status: "LIVE" } },
    false,
    { type: "identical", id: "9" },
  ],
];

Deno.test("admit() decides on a build of commit A", () => {
  for (const [name, facts, force, wanted] of ROWS) {
    assert.deepEqual(admit(facts, { commitSha: A, force }), wanted, name);
  }
});
