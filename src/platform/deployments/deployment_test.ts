import assert from "node:assert/strict";
import { DEPLOYMENT_STATES } from "../../contract/deployments.ts";
import { canMove, type DeploymentRecord, meeting, moveDeployment } from "./deployment.ts";

const deployment: DeploymentRecord = {
  id: "d",
  projectId: "p",
  workspaceId: "w",
  projectName: "shop",
  status: "DEPLOYING",
  environment: "production",
  branch: "main",
  commitSha: null,
  message: null,
  author: null,
  uniqueLabel: "shop-12345678",
  branchLabel: "shop-git-main",
  source: "upload",
  promotedFrom: null,
  contentSha: "0".repeat(64),
  cron: [],
  functions: [],
  variablesVersion: ".",
  fileCount: 1,
  totalBytes: 1,
  error: null,
  createdAt: 1,
  updatedAt: 1,
  liveAt: null,
  redeployOf: null,
};

Deno.test("canMove() allows only the transitions in the design", () => {
  const moves = DEPLOYMENT_STATES.flatMap((from) =>
    DEPLOYMENT_STATES.filter((to) => canMove(from, to)).map((to) => `${from} ${to}`)
  );
  assert.deepEqual(moves, [
    "PENDING BUILDING",
    "PENDING DEPLOYING",
    "PENDING FAILED",
    "PENDING STOPPED",
    "BUILDING DEPLOYING",
    "BUILDING FAILED",
    "BUILDING STOPPED",
    "DEPLOYING LIVE",
    "DEPLOYING FAILED",
    "DEPLOYING STOPPED",
    "LIVE STOPPED",
    "LIVE ROLLED_BACK",
    "ROLLED_BACK LIVE",
    "ROLLED_BACK STOPPED",
  ]);
});

Deno.test("moveDeployment() records when a deployment went live, and why it failed", () => {
  assert.equal(moveDeployment(deployment, "LIVE", { now: 7 }).liveAt, 7);
  const failed = moveDeployment(deployment, "FAILED", { now: 7, error: "disk full" });
  assert.deepEqual([failed.error, failed.updatedAt, failed.liveAt], ["disk full", 7, null]);
});

Deno.test("moveDeployment() refuses an unknown transition", () => {
  const stopped = moveDeployment(deployment, "STOPPED", { now: 2 });
  assert.throws(() => moveDeployment(stopped, "LIVE", { now: 3 }), RangeError);
});

Deno.test("meeting() checks all given conditions", () => {
  const found = { ...deployment, commitSha: "8f14e45fceea" };
  const cases = [
    [{ branch: "main" }, true],
    [{ branch: "mai" }, false],
    [{ environment: "production", status: "DEPLOYING" }, true],
    [{ environment: "production", status: "LIVE" }, false],
    [{ environment: "preview" }, false],
    [{ sha: "8f14e45" }, true],
    [{ sha: "8f14e45fceea167a5a36dedd4bea2543c1a0f4d1" }, true],
    [{ sha: "f14e" }, false],
  ] as const;
  for (const [filter, expected] of cases) {
    assert.equal(meeting(filter)!(found), expected, JSON.stringify(filter));
  }
  assert.equal(meeting({ sha: "8f14" })!(deployment), false, "it has no commit");
  assert.equal(meeting({}), undefined);
});
