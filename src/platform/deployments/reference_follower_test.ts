import assert from "node:assert/strict";
import type { ProjectRecord } from "../projects/mod.ts";
import type { DeploymentRecord } from "./deployment.ts";
import { type FollowerParts, ReferenceFollower } from "./reference_follower.ts";

Deno.test("a failing redeployment is tried only once, even if a round ends early", async () => {
  const tried: string[] = [];
  const projects = ["a", "broken"].map((id) => ({ id, name: id, autoRedeploy: true }));
  const deployment = {
    ...{ id: "d", status: "LIVE", environment: "production", projectName: "a", references: [] },
  };
  const follower = new ReferenceFollower({
    projects: {
      async *autoRedeploying() {
        yield* await Promise.resolve(projects as unknown as ProjectRecord[]);
      },
    },
    hostsRevision: () => 1,
    deployments: {
      async *all(projectId: string) {
        if (projectId === "broken") throw new Error("A record cannot be read");
        yield await Promise.resolve(deployment as unknown as DeploymentRecord);
      },
      findHost: () => Promise.resolve({ deploymentId: "d" }),
    } as unknown as FollowerParts["deployments"],
    variableService: {
      changedReferences: () => () => Promise.resolve(new Set(["backend.url"])),
    },
    nodes: {
      during: (_name: string, work: () => Promise<unknown>) => work(),
    } as unknown as FollowerParts["nodes"],
    redeploy: ({ id }) => {
      tried.push(id);
      return Promise.reject(new Error("The server did not start"));
    },
    log() {},
  });
  for (let round = 0; round < 3; round++) await assert.rejects(follower.round(), /cannot be read/);
  assert.deepEqual(tried, ["d"]);
});

Deno.test("deployments are read again only after a host or a project changes", async () => {
  let revision = 1;
  const asking = ["a"];
  const read: string[] = [];
  const follower = new ReferenceFollower({
    projects: {
      async *autoRedeploying() {
        yield* await Promise.resolve(asking.map((id) => ({ id }) as ProjectRecord));
      },
    },
    hostsRevision: () => revision,
    deployments: {
      // deno-lint-ignore require-yield -- none has deployments
      async *all(projectId: string) {
        await Promise.resolve();
        read.push(projectId);
      },
    } as unknown as FollowerParts["deployments"],
    variableService: { changedReferences: () => () => Promise.resolve(new Set<string>()) },
    nodes: {
      during: (_name: string, work: () => Promise<unknown>) => work(),
    } as unknown as FollowerParts["nodes"],
    redeploy: () => Promise.resolve(),
    log() {},
  });
  for (let round = 0; round < 3; round++) await follower.round();
  assert.deepEqual(read, ["a"]);
  revision++;
  await follower.round();
  asking.push("b");
  await follower.round();
  await follower.round();
  assert.deepEqual(read, ["a", "a", "a", "b"]);
});
