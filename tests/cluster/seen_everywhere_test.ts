/**
 * Changes on one node must become visible on all nodes: deployments, rollbacks, rules, purges and
 * revocations. The delay is printed but not checked, because the machine may be busy.
 */
import assert from "node:assert/strict";
import { fetchByHost } from "../../scripts/_fetch_by_host.ts";
import { isInstalled } from "../../scripts/_process.ts";
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import { until } from "../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../src/platform/core/store/_test_pg.ts";
import { IS_LONG, Machines, type Node } from "../helpers/machines/machines.ts";
import { makeCertificate } from "../../src/lib/_test_certificate.ts";
import { createProject, deploy } from "../helpers/platform.ts";
import { proxyTo, rule } from "../helpers/upstreams.ts";

const ROUNDS = IS_LONG ? 100 : 3;
const HOST = "seen.localhost";

const get = ({ port }: Node, path: string) => fetchByHost({ port, host: HOST, path });

/** Returns the number of milliseconds until all nodes reach the expected state. */
async function timeToAll(
  nodes: readonly Node[],
  isSeen: (node: Node) => Promise<boolean>,
): Promise<number> {
  const began = performance.now();
  await Promise.all(nodes.map((node) => until(() => isSeen(node))));
  return performance.now() - began;
}

function describe(name: string, times: readonly number[]): string {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)]!);
  return `${name}: p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)} ms\n`;
}

const ruleSet = (...rules: unknown[]) => ({ schemaVersion: "EDGE_RULE_SET_V1", rules });
const redirect = (target: string) => ({
  id: "old",
  condition: { path: { type: "exact", value: "/old" } },
  action: { type: "redirect", target },
});

Deno.test({
  name: `changes on one node appear on all nodes, in ${ROUNDS} rounds`,
  ignore: NO_POSTGRES !== undefined || !isInstalled("haproxy"),
  async fn() {
    let asked = 0;
    const folder = await makeTestFolder("svc-upstream-");
    const { certFile, keyFile } = await makeCertificate(folder, "upstream", ["IP:127.0.0.1"]);
    const [cert, key] = [await Deno.readTextFile(certFile), await Deno.readTextFile(keyFile)];
    await using upstream = Deno.serve(
      { hostname: "127.0.0.1", port: 0, cert, key, onListen() {} },
      () => new Response(`answer ${++asked}`),
    );
    const args = ["--allow-private-upstreams", "--upstream-ca", certFile];
    await using machines = await Machines.start({ args });
    const { nodes } = machines;
    await createProject(nodes[0], "seen");
    const rules = ruleSet(
      proxyTo(`https://127.0.0.1:${upstream.addr.port}`),
      rule("cache", { type: "cache", ttlSeconds: 600 }),
    );
    const first = await deploy(nodes[0], "seen", { files: { "index.html": "first" }, rules });
    let revision = `"none"`;
    const times: Record<string, number[]> = {};
    const took = (name: string, ms: number) => void (times[name] ??= []).push(ms);
    for (let round = 0; round < ROUNDS; round++) {
      const by = nodes[round % nodes.length]!;
      const text = `version ${round}`;
      await deploy(by, "seen", { files: { "index.html": text }, rules });
      const shows = (wanted: string) => async (node: Node) =>
        (await get(node, "/")).text === wanted;
      took("deployment", await timeToAll(nodes, shows(text)));

      for (const node of nodes) {
        await get(node, "/up/page");
        await until(async () => (await get(node, "/up/page")).headers["x-svc-cache"] === "HIT");
      }
      const purged = await by.api("POST", "/v1/projects/seen/purge", { json: { type: "all" } });
      assert.equal(purged.status, 200);
      const isPurged = async (node: Node) =>
        (await get(node, "/up/page")).headers["x-svc-cache"] === "MISS";
      took("purge", await timeToAll(nodes, isPurged));

      const back = await by.api("POST", "/v1/projects/seen/rollback", { json: { to: first.id } });
      assert.equal(back.status, 200, JSON.stringify(back.json));
      took("rollback", await timeToAll(nodes, shows("first")));

      const published = await by.api("PUT", "/v1/projects/seen/rules", {
        json: ruleSet(redirect(`/new-${round}`)),
        headers: { "if-match": revision },
      });
      assert.equal(published.status, 200, JSON.stringify(published.json));
      const leads = async (node: Node) =>
        (await get(node, "/old")).headers.location === `/new-${round}`;
      took("rules", await timeToAll(nodes, leads));
      revision = published.headers.get("etag")!;
      const removed = await by.api("DELETE", "/v1/projects/seen/rules", {
        headers: { "if-match": revision },
      });
      assert.ok(removed.status < 300, JSON.stringify(removed.json));
      revision = removed.headers.get("etag") ?? `"none"`;

      const made = await by.api("POST", "/v1/api-keys", { json: { name: `k${round}` } });
      const { key, apiKey, id = apiKey?.id } = made.json;
      const status = async (node: Node) =>
        (await node.api("GET", "/v1/projects", { token: key })).status;
      for (const node of nodes) assert.equal(await status(node), 200);
      await by.api("DELETE", `/v1/api-keys/${id}`);
      took("revocation", await timeToAll(nodes, async (node) => await status(node) === 401));
    }
    const lines = Object.entries(times).map(([name, each]) => describe(name, each));
    await Deno.stderr.write(new TextEncoder().encode(lines.join("")));
    await Deno.remove(folder, { recursive: true });
  },
});
