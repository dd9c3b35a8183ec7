import assert from "node:assert/strict";
import type { DeploymentState } from "../../../contract/deployments.ts";
import { type Admission, admit } from "./build_record.ts";

const [A, B] = ["a".repeat(40), "b".repeat(40)];
const active = (commitSha: string) => [{ id: "1", commitSha }];

const IDENTICAL: Admission = { type: "identical", id: "9" };
const CREATE: Admission = { type: "create" };
const BUSY: Admission = { type: "busy", id: "1", commitSha: B };

const known = (status: DeploymentState, isShown = false) => ({ id: "9", status, isShown });

const ROWS: readonly [string, Parameters<typeof admit>[0], boolean, Admission][] = [
  ["no deployment", { active: [], known: undefined }, false, CREATE],
  ["it is live", { active: [], known: known("LIVE", true) }, false, IDENTICAL],
  [
    "another one has gone live since (a revert)",
    { active: [], known: known("LIVE") },
    false,
    CREATE,
  ],
  ["it was rolled back", { active: [], known: known("ROLLED_BACK") }, false, CREATE],
  [
    "its branch serves it, but it was rolled back",
    { active: [], known: known("ROLLED_BACK", true) },
    false,
    {
      type: "create",
    },
  ],
  ["it is waiting", { active: active(A), known: known("PENDING") }, false, IDENTICAL],
  ["it is being built", { active: active(A), known: known("BUILDING") }, false, IDENTICAL],
  ["it is going live", { active: active(A), known: known("DEPLOYING") }, false, IDENTICAL],
  ["it failed", { active: [], known: known("FAILED") }, false, CREATE],
  ["it was stopped", { active: [], known: known("STOPPED") }, false, CREATE],
  ["it is live, and forced", { active: [], known: known("LIVE", true) }, true, CREATE],
  ["it is waiting, and is forced", { active: active(A), known: known("PENDING") }, true, CREATE],
  ["another commit is being built", { active: active(B), known: undefined }, false, BUSY],
  [
    "another commit is being built, and it is forced",
    { active: active(B), known: undefined },
    true,
    BUSY,
  ],
  [
    "it is reverted to while another is being built",
    { active: active(B), known: known("LIVE") },
    false,
    {
      ...BUSY,
    },
  ],
  [
    "it is live while another commit is being built",
    {
      active: active(B),
      known: known("LIVE", true),
    },
    false,
    IDENTICAL,
  ],
];

Deno.test("admit() admits a build unless its commit is deployed or its branch is busy", () => {
  for (const [name, facts, force, wanted] of ROWS) {
    assert.deepEqual(admit(facts, { commitSha: A, force }), wanted, name);
  }
});
