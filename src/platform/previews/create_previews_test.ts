import assert from "node:assert/strict";
import type { Endpoint } from "../../contract/endpoint.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { systemRandom } from "../../lib/clock.ts";
import { DenoStore } from "../../store/mod.ts";
import type { AccountParts } from "../accounts/mod.ts";
import { Addresses } from "../core/addresses.ts";
import type { Foundation } from "../core/foundation.ts";
import type { Router } from "../core/http/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import { testProject } from "../projects/_test_project.ts";
import { ProjectStore } from "../projects/project_store.ts";
import { AccessTable } from "./access_table.ts";
import { createPreviews } from "./create_previews.ts";

const PROJECT = testProject({ id: crypto.randomUUID() });
const { id: projectId, name: projectName, workspaceId } = PROJECT;

type Share = (caller: unknown, context: unknown) => Promise<{ readonly branch: string | null }>;

/** Creates share links for a preview of a branch, with a key that can deploy only previews. */
async function withShares(
  run: (share: (branch: string, scope: string) => ReturnType<Share>) => Promise<void>,
): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  try {
    const projects = new ProjectStore(kv);
    await projects.create(PROJECT, "all");
    const addresses = new Addresses({ protocol: "http:", domain: "localhost", port: "" });
    const table = new AccessTable({ kv, addresses, feed: { publish: () => Promise.resolve() } });
    let branch = "";
    const deployments = {
      owner: () => Promise.resolve({ workspaceId, projectId }),
      find: () =>
        Promise.resolve({
          ...{ id: crypto.randomUUID(), projectId, projectName, branch, environment: "preview" },
          ...{ uniqueLabel: "shop-1", branchLabel: `shop-git-${branch}` },
        }),
    } as unknown as DeploymentStore;
    const foundation = { kv, addresses, now: Date.now, random: systemRandom };
    const { capability } = createPreviews(foundation as unknown as Foundation, {
      table,
      projects,
      deployments,
      accounts: { publicOrigin: "http://localhost" } as AccountParts,
    });
    const handlers = new Map<Endpoint, Share>();
    const guarded = (endpoint: Endpoint, handler: Share) => handlers.set(endpoint, handler);
    capability.bindRoutes?.({ guarded } as unknown as Router);
    const caller = {
      user: { name: "Ada" },
      workspace: { id: workspaceId, slug: "w" },
      grant: { permissions: ["deploy-previews"], projects: null, expiresAt: null },
    };
    const { createShare } = endpoints;
    await run(async (shown, scope) => {
      branch = shown;
      return await handlers.get(createShare as unknown as Endpoint)!(caller, {
        params: { deployment: crypto.randomUUID() },
        body: createShare.body.parse({ scope }),
        note() {},
      });
    });
  } finally {
    kv.close();
  }
}

Deno.test("a key for previews cannot share the production branch, whose host shows production", () =>
  withShares(async (share) => {
    assert.equal((await share("feature", "branch")).branch, "feature");
    assert.equal((await share(PROJECT.branch, "deployment")).branch, null);
    await assert.rejects(share(PROJECT.branch, "branch"), { code: "forbidden" });
  }));
