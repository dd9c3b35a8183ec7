import assert from "node:assert/strict";
import fc from "fast-check";
import { decideTrust, mismatch } from "./match_publisher.ts";
import type { PublisherRecord } from "./publisher.ts";
import type { WorkflowRun } from "./workflow_run.ts";

const PUBLISHER: PublisherRecord = {
  id: "p",
  workspaceId: "w",
  userId: "u",
  provider: "github",
  issuer: "https://issuer.test",
  repository: "acme/shop",
  repositoryId: null,
  branch: null,
  tag: null,
  environment: null,
  workflow: null,
  subject: null,
  pullRequests: false,
  permissions: ["read"],
  projects: null,
  keySeconds: 900,
  createdAt: 0,
  lastUsedAt: null,
  lastSubject: null,
};

const RUN: WorkflowRun = {
  repository: "acme/shop",
  repositoryId: "1",
  ref: { type: "branch", name: "main" },
  environment: null,
  workflow: "deploy.yml",
  subject: "repo:acme/shop",
  run: "7",
};

const REFS = [
  ["any branch", {}, ["branch"]],
  ["a branch", { branch: "main" }, ["branch"]],
  ["another branch", { branch: "x" }, []],
  ["a tag", { tag: "main" }, ["tag"]],
  ["a branch or a tag", { branch: "main", tag: "m*" }, ["branch", "tag"]],
  ["pull requests as well", { pullRequests: true }, ["branch", "pull request"]],
  ["a tag and pull requests", { tag: "*", pullRequests: true }, ["tag", "pull request"]],
] as const;

for (const [name, trusted, wanted] of REFS) {
  Deno.test(`mismatch() accepts only the refs of a publisher that trusts ${name}`, () => {
    const taken = (["branch", "tag", "pull request"] as const).filter((type) =>
      mismatch({ ...PUBLISHER, ...trusted }, { ...RUN, ref: { type, name: "main" } }) === undefined
    );
    assert.deepEqual(taken, wanted);
  });
}

Deno.test("decideTrust() grants only the permissions of matching publishers", () => {
  const permissions = ["read", "deploy-previews", "deploy-production", "rules"] as const;
  const publisher = fc.record({
    branch: fc.constantFrom("main", "x", null),
    repository: fc.constantFrom("acme/shop", "ACME/Shop", "acme/other"),
    permissions: fc.uniqueArray(fc.constantFrom(...permissions), { minLength: 1 }),
    projects: fc.constantFrom<string[] | null>(null, ["a"], ["b"], ["a", "b"]),
    keySeconds: fc.constantFrom(300, 900),
  }).map((given) => ({ ...PUBLISHER, ...given }));
  const asked = fc.constantFrom(undefined, "a", "b", null);
  fc.assert(fc.property(fc.array(publisher, { maxLength: 5 }), asked, (all, projectId) => {
    const trust = decideTrust(all, { run: RUN, projectId });
    const fitting = all.filter(({ branch, repository, projects }) =>
      repository.toLowerCase() === "acme/shop" && branch !== "x" &&
      (projectId === undefined || projects === null ||
        projectId !== null && projects.includes(projectId))
    );
    if (typeof trust === "string") {
      const reaches = new Set(fitting.map(({ projects }) => JSON.stringify(projects)));
      assert.ok(fitting.length === 0 || reaches.size > 1 && typeof projectId !== "string", trust);
      return;
    }
    const allowed = new Set(fitting.flatMap((each) => each.permissions));
    assert.deepEqual(new Set(trust.permissions), allowed);
    for (const each of trust.projects ?? []) {
      assert.ok(fitting.some(({ projects }) => projects === null || projects.includes(each)));
    }
    if (trust.projects === null) assert.ok(fitting.every(({ projects }) => projects === null));
    assert.ok(fitting.every(({ keySeconds }) => trust.keySeconds <= keySeconds));
  }));
});

Deno.test("decideTrust() limits publishers per key to the number that every store can check", () => {
  const fitting = Array.from({ length: 10 }, (_, n) => ({ ...PUBLISHER, id: `p${n}` }));
  const decide = (count: number) =>
    decideTrust(fitting.slice(0, count), { run: RUN, projectId: undefined });
  assert.notEqual(typeof decide(9), "string");
  assert.equal(decide(10), "more than 9 trusted publishers of acme/shop match: remove some");
});
