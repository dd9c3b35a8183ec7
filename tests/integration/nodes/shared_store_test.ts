import assert from "node:assert/strict";
import { join } from "node:path";
import { systemRandom } from "../../../src/lib/clock.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { openKeyRing } from "../../../src/platform/core/secrets/mod.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { createProject, deploy, type TestPlatform } from "../../helpers/platform.ts";

const shows = (platform: TestPlatform, host: string, text: string) =>
  until(async () => (await platform.get(host, "/")).text === text);

Deno.test({
  name: "a platform on PostgreSQL refuses changes during an outage and recovers",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const first = await cluster.start("a");
    const project = await createProject(first, "site");
    await deploy(first, project.id, { files: { "index.html": "one" } });
    await cluster.stop(first);
    const again = await cluster.start("a");
    assert.equal(again.token, undefined, "a restart does not create a new key");
    await shows(again, "site.localhost", "one");
    await cluster.pg.cluster.stop();
    try {
      const refused = await again.api("POST", "/v1/projects", { json: { name: "lost" } });
      assert.deepEqual([refused.status, refused.json.code], [503, "unavailable"]);
      assert.equal(refused.headers.get("retry-after"), "5");
      // One thread has already served the site. The other thread reads the site here for the first
      // time.
      for (let connection = 0; connection < 10; connection++) {
        assert.equal((await again.get("site.localhost", "/")).text, "one");
      }
    } finally {
      await cluster.pg.cluster.start();
    }
    await until(async () =>
      (await again.api("POST", "/v1/projects", { json: { name: "late" } })).status === 201
    );
    await deploy(again, project.id, { files: { "index.html": "two" } });
    await shows(again, "site.localhost", "two");
  },
});

Deno.test({
  name: "two nodes share records, files and keys",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const [a, b] = [await cluster.start("a"), await cluster.start("b")];
    assert.equal(b.token, undefined, "the second node creates no workspace");
    const project = await createProject(a, "site");
    const seen = await b.api("GET", `/v1/projects/${project.id}`);
    assert.equal(seen.json.name, "site");
    await deploy(b, project.id, { files: { "index.html": "of b" } });
    await cluster.stop(a);
    const again = await cluster.start("a");
    await shows(again, "site.localhost", "of b");
  },
});

Deno.test({
  name: "deployments, rollbacks, revocations and deletions on one node apply to the other",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const [a, b] = [await cluster.start("a"), await cluster.start("b")];
    const project = await createProject(a, "site");
    const first = await deploy(a, project.id, { files: { "index.html": "one" } });
    await shows(b, "site.localhost", "one");
    await deploy(b, project.id, { files: { "index.html": "two" } });
    await shows(a, "site.localhost", "two");
    const back = await a.api("POST", `/v1/projects/${project.id}/rollback`, {
      json: { to: first.id },
    });
    assert.ok(back.status < 300, JSON.stringify(back.json));
    await shows(b, "site.localhost", "one");
    const made = await a.api("POST", "/v1/api-keys", { json: { name: "k" } });
    assert.equal(made.status, 201, JSON.stringify(made.json));
    const { key, id } = { key: made.json.key, id: made.json.apiKey?.id ?? made.json.id };
    const status = async () => (await b.api("GET", "/v1/projects", { token: key })).status;
    assert.equal(await status(), 200);
    await a.api("DELETE", `/v1/api-keys/${id}`);
    await until(async () => await status() === 401);
    const removed = await b.api("DELETE", `/v1/projects/${project.id}`);
    assert.ok(removed.status < 300);
    await until(async () => (await a.get("site.localhost", "/")).status === 404);
  },
});

Deno.test({
  name: "a node with different keys does not start, and reports which file to copy",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const first = await cluster.start("a");
    const keysFile = join(cluster.folder, "others.json");
    await openKeyRing(keysFile, systemRandom);
    const refused = /Cannot start with the keys in .*others\.json: .*--keys-file/;
    await assert.rejects(cluster.start("b", { keysFile }), refused);
    await cluster.stop(first);
    await assert.rejects(
      cluster.start("b", { keysFile }),
      refused,
      "the node does not start even if it is the only one",
    );
    await cluster.start("b");
  },
});
