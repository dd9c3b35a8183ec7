/**
 * Cuts the connection of a leader, which runs in its own network namespace, while events are
 * raised. Another node takes over. Packets that the old leader had already sent arrive once it is
 * connected again. No event may be lost, and no event may be in an inbox twice.
 */
import assert from "node:assert/strict";
import { ROLES } from "../../src/platform/core/nodes/mod.ts";
import { fetchByHost } from "../../scripts/_fetch_by_host.ts";
import { until } from "../../src/lib/_test_until.ts";
import { canMakeNamespaces } from "../helpers/machines/cable.ts";
import { IS_LONG, Machines } from "../helpers/machines/machines.ts";
import { keepWriting } from "../helpers/machines/workload.ts";
import { events } from "../helpers/machines/workloads.ts";
import { createProject, deploy } from "../helpers/platform.ts";

const HOST = "cut.localhost";

Deno.test({
  name: "a leader that is cut off serves sites, refuses revoked keys, and stops leading",
  ignore: !IS_LONG || !await canMakeNamespaces(),
  async fn() {
    // The first node takes all leases.
    await using machines = await Machines.start({ cuttable: "a" });
    const [a, b] = machines.nodes;
    const rolesOf = async (name: string): Promise<number> => {
      const { json } = await b.api("GET", "/v1/nodes");
      const node = json.items.find(({ id }: { id: string }) => id === name);
      return node?.roles.length ?? 0;
    };
    assert.equal(await rolesOf("a"), ROLES.length);
    await createProject(b, "cut");
    await deploy(b, "cut", { files: { "index.html": "here" } });
    const page = () => fetchByHost({ port: a.port, host: HOST, path: "/" });
    await until(async () => (await page()).text === "here");
    const made = await b.api("POST", "/v1/api-keys", { json: { name: "k" } });
    const { key, apiKey, id = apiKey?.id } = made.json;
    const status = async () => (await a.api("GET", "/v1/projects", { token: key })).status;
    await until(async () => await status() === 200);
    const raised = events(machines);
    const writing = keepWriting([raised]);
    await until(() => raised.acknowledged > 5);

    await machines.cut();
    const began = performance.now();
    await b.api("DELETE", `/v1/api-keys/${id}`);
    let takenUntil = began;
    await until(async () => {
      const answered = await status();
      if (answered === 200) takenUntil = performance.now();
      return answered === 503;
    });
    assert.equal((await page()).text, "here");
    await until(async () => await rolesOf("a") === 0);
    const before = raised.acknowledged;
    await until(() => raised.acknowledged > before + 5);
    await machines.mend();
    await until(async () => await status() === 401);
    assert.equal(await rolesOf("a"), 0, "the node does not take back roles from other nodes");
    await writing.stop();
    await raised.check(machines);
    await Deno.stderr.write(
      new TextEncoder().encode(
        `cut off: a revoked key was accepted for ${
          Math.round(takenUntil - began)
        } ms; ${raised.acknowledged} events\n`,
      ),
    );
  },
});
