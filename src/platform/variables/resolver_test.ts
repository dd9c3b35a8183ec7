import assert from "node:assert/strict";
import { DenoStore } from "../../store/mod.ts";
import { testProject } from "../projects/_test_project.ts";
import { ProjectStore } from "../projects/mod.ts";
import { testResolver } from "./_test_variables.ts";

const web = { ...testProject(), id: "1", name: "web" };
const backend = { ...web, id: "2", name: "backend" };
const foreign = { ...web, id: "3", workspaceId: "other", name: "foreign" };

/** The project and the environment of each host label. */
const SHOWN: Readonly<
  Record<string, { readonly projectId: string; readonly environment: string }>
> = {
  "backend-git-feature": { projectId: "2", environment: "preview" },
  // The last deployment of this branch went to production.
  "backend-git-main": { projectId: "2", environment: "production" },
  // The plain label of this branch belongs to another project.
  "backend-git-taken": { projectId: "9", environment: "preview" },
  "backend-env-staging": { projectId: "2", environment: "staging" },
};

async function resolved(value: string, environment: string, branch: string | undefined) {
  const kv = await DenoStore.open(":memory:");
  try {
    for (const each of [web, backend, foreign]) assert.ok(await new ProjectStore(kv).create(each));
    const resolver = testResolver(kv, {
      shownAt: (label) => Promise.resolve(SHOWN[label]),
      databasesOf: () => Promise.resolve([{ name: "shop", environments: ["production"] }]),
    });
    const viewer = { project: web, environment, branch, self: "https://own.example" };
    return await resolver.resolve({ A: value }, viewer);
  } finally {
    kv.close();
  }
}

const urls: readonly (readonly [string, string, string | undefined, string])[] = [
  ["${{backend.url}}", "production", "feature", "https://backend.svc.example"],
  ["${{backend.url}}", "preview", "feature", "https://backend-git-feature.svc.example"],
  ["${{backend.url}}", "preview", "main", "https://backend.svc.example"],
  ["${{backend.url}}", "preview", "none", "https://backend.svc.example"],
  ["${{backend.url}}", "preview", "taken", "https://backend.svc.example"],
  ["${{backend.url}}", "preview", undefined, "https://backend.svc.example"],
  ["${{backend.url}}", "staging", "feature", "https://backend-env-staging.svc.example"],
  ["${{backend.url}}", "test", "feature", "https://backend.svc.example"],
  ["${{web.url}} ${{self.url}}", "preview", "feature", "https://own.example https://own.example"],
  ["$${{backend.url}}", "production", "main", "$${{backend.url}}"],
  ["${{db.shop.url}}", "production", "main", "${{db.shop.url}}"],
];

for (const [value, environment, branch, wanted] of urls) {
  Deno.test(`${value} in ${environment} of branch ${branch} is ${wanted}`, async () => {
    const { values, problem } = await resolved(value, environment, branch);
    assert.deepEqual([values.A, problem], [wanted, undefined]);
  });
}

const problems: readonly (readonly [string, RegExp])[] = [
  [
    "${{foreign.url}}",
    /^Variable A of project "web" refers to \$\{\{foreign\.url\}\}: project "foreign" does not exist in workspace/,
  ],
  ["${{db.shop.url}}", /the database is not available in environment "preview"$/],
  ["${{db.none.url}}", /the project has no database "none"\. Its databases: shop$/],
  ["x".repeat(48 * 1024) + "${{self.url}}", /can total at most 49152 bytes/],
  ["${{A}}", /^Variable A of project "web" cannot be used: "\$\{\{A\}\}" is not a reference/],
];

for (const [value, wanted] of problems) {
  Deno.test(`${value.slice(-20)} cannot be used in a preview`, async () => {
    assert.match((await resolved(value, "preview", "main")).problem ?? "", wanted);
  });
}
