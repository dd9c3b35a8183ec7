/**
 * Each node counts requests for rate limits separately. `svc rules check`, `svc rules publish` and
 * `svc deploy` must report this.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runCli } from "../../../src/cli/_test_run.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { createProject, stillClock, type TestPlatform, TOKEN } from "../../helpers/platform.ts";

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "few"
condition.path = { type = "exact", value = "/few" }
action = { type = "rate_limit", limit = 2, windowSeconds = 600, key = "host" }
`;

const WARNING = /the platform has 2 nodes, which count separately, so up to 4 requests pass/;

/** Sends `count` requests to a limited path. Returns the statuses. */
async function ask(node: TestPlatform, count: number): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent++) {
    statuses.push((await node.get("shop.localhost", "/few")).status);
  }
  return statuses;
}

Deno.test({
  name: "two nodes allow twice the rate limit, and check, publish and deploy report this",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const a = await cluster.start("a", { nodeId: "a" });
    await createProject(a, "shop");
    const cwd = join(cluster.folder, "site");
    await Deno.mkdir(cwd);
    for (const name of ["few", "other"]) await Deno.writeTextFile(join(cwd, `${name}.html`), name);
    await Deno.writeTextFile(
      join(cwd, "svc.toml"),
      '[project]\nname = "shop"\n[build]\noutput_dirs = ["."]\n',
    );
    await Deno.writeTextFile(join(cwd, "svc.rules.toml"), RULES);
    const svc = async (...argv: string[]) => {
      const { code, stdout, stderr } = await runCli(argv, {
        cwd,
        fetch,
        now: stillClock(),
        sleep: () => Promise.resolve(),
        env: { SVC_API_URL: a.url, SVC_TOKEN: TOKEN, HOME: cluster.folder },
      });
      assert.equal(code, 0, `${stdout}${stderr}`);
      return `${stdout}${stderr}`;
    };
    assert.doesNotMatch(await svc("rules", "check"), /limit/, "a single node counts all requests");

    const b = await cluster.start("b", { nodeId: "b" });
    await until(() => svc("rules", "check"), (said) => WARNING.test(said));
    assert.match(await svc("deploy", "--prod", "--yes"), WARNING);
    for (const node of [a, b]) {
      await until(async () => (await node.get("shop.localhost", "/other")).status === 200);
      assert.deepEqual(await ask(node, 3), [200, 200, 429], "each node counts its own requests");
    }
    assert.match(await svc("rules", "publish", "--yes"), WARNING);

    await cluster.stop(b);
    await until(() => svc("rules", "check"), (said) => !WARNING.test(said));
  },
});
