import assert from "node:assert/strict";
import type { Resolved } from "../git/git_service.ts";
import { resolveFailure } from "./resolve_failure.ts";

const wanted = { branch: "main", commitSha: "8f14e45" };
const [A, B] = ["8f14e45".padEnd(40, "a"), "8f14e45".padEnd(40, "b")];

const ROWS: readonly [Exclude<Resolved, { type: "found" }>, number, string, RegExp][] = [
  [{ type: "branch_not_found" }, 404, "Branch not found", /no branch 'main'/],
  [{ type: "unauthorized" }, 404, "Branch not found", /denies access to the platform/],
  [{ type: "unreachable", reason: "no route" }, 404, "Branch not found", /reached: no route/],
  [{ type: "commit_not_found" }, 404, "Commit 8f14e45 not found", /no such commit/],
  [
    { type: "not_on_branch", sha: A },
    400,
    `Commit ${A} is not on branch 'main'`,
    /commit on branch/,
  ],
  [
    { type: "ambiguous", candidates: [A, B] },
    400,
    `Commit 8f14e45 is ambiguous: it could be ${A}, ${B}`,
    new RegExp(A),
  ],
];

Deno.test("resolveFailure() returns status, message and reason", () => {
  for (const [resolved, status, message, problem] of ROWS) {
    const failure = resolveFailure(resolved, wanted);
    assert.deepEqual([failure.status, failure.message], [status, message], resolved.type);
    assert.match(failure.problems?.[0]?.message ?? "", problem, resolved.type);
  }
});

Deno.test("resolveFailure() lists at most ten candidates", () => {
  const candidates = Array.from({ length: 50 }, (_, index) => String(index).padStart(40, "0"));
  assert.equal(resolveFailure({ type: "ambiguous", candidates }, wanted).problems?.length, 10);
});
