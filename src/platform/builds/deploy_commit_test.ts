import assert from "node:assert/strict";
import { systemRandom } from "../../lib/clock.ts";
import { Addresses } from "../core/addresses.ts";
import { openKeyRing, SecretBox } from "../core/secrets/mod.ts";
import { DeploymentStore } from "../deployments/mod.ts";
import { testProject } from "../projects/_test_project.ts";
import { ProjectStore } from "../projects/mod.ts";
import { testVariables } from "../variables/_test_variables.ts";
import { commitDeployer } from "./deploy_commit.ts";
import { BuildQueue } from "./queue/build_queue.ts";
import { BuildStore } from "./queue/build_store.ts";
import { DenoStore } from "../../store/mod.ts";

const NOW = Date.UTC(2026, 10, 22);

Deno.test("commits that nodes deploy in the same millisecond get separate positions", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-places-" });
  const kv = await DenoStore.open(":memory:");
  const project = testProject();
  const box = new SecretBox(await openKeyRing(`${folder}/keys.json`, systemRandom), systemRandom);
  assert.ok(await new ProjectStore(kv).create(project));
  const now = () => NOW;
  const node = () => {
    // Two nodes that happen to use the same offset.
    const builds = new BuildStore(kv, 7);
    return commitDeployer({
      builds,
      now,
      random: systemRandom,
      deployments: new DeploymentStore(kv),
      buildQueue: new BuildQueue({
        worker: { perform: () => Promise.reject(), giveUp: () => Promise.reject() },
        builds,
        concurrency: 0,
        now,
        onTrouble: assert.fail,
      }),
      variables: testVariables({ kv, box, now }),
      addresses: new Addresses({ protocol: "http:", domain: "localhost", port: "" }),
      raiseEvent: () => Promise.resolve(),
    });
  };
  const nodes = [node(), node()];
  try {
    await Promise.all(
      nodes.flatMap((deploy, index) =>
        Array.from({ length: 5 }, (_, count) =>
          deploy({
            project,
            environment: "preview",
            branch: `node-${index}-branch-${count}`,
            commitSha: "a".repeat(40),
            message: "Fix",
            author: "Ada",
            trigger: "request",
            force: false,
          }))
      ),
    );
    const queued = await Array.fromAsync(new BuildStore(kv).queue());
    assert.equal(queued.length, 10);
    assert.equal(new Set(queued.map(({ place }) => place)).size, 10);
  } finally {
    kv.close();
    await Deno.remove(folder, { recursive: true });
  }
});
