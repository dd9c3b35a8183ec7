import assert from "node:assert/strict";
import { deployServer } from "../../helpers/compute_site.ts";
import { createProject, deploy, start, withPlatform } from "../../helpers/platform.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

Deno.test("health distinguishes projects with no deployment, only files, a server or an idle server", () =>
  withPlatform(async (platform) => {
    const health = async () => (await platform.api("GET", "/v1/projects/shop/health")).json;
    await createProject(platform, "shop");
    assert.deepEqual(await health(), {
      state: "none",
      since: null,
      reason: null,
      deploymentId: null,
    });
    const first = await deploy(platform, "shop", { files: { "index.html": "files" } });
    assert.deepEqual(await health(), {
      state: "static",
      since: null,
      reason: null,
      deploymentId: first.id,
    });
    const second = await deployServer(platform, "shop");
    const served = await health();
    assert.deepEqual([served.state, served.deploymentId], ["healthy", second.id]);
    const unknown = await platform.api("GET", "/v1/projects/none/health");
    assert.equal(unknown.status, 404);
  }));

Deno.test("a server without requests since a restart is idle", async () => {
  await inTestFolder(async (dataDir) => {
    const before = await start(dataDir);
    await createProject(before, "shop");
    await deployServer(before, "shop");
    await before.shutdown();
    const after = await start(dataDir);
    try {
      const { json } = await after.api("GET", "/v1/projects/shop/health");
      assert.equal(json.state, "idle");
      assert.equal((await after.get("shop.localhost", "/x")).text, "server: /x");
      const woken = await after.api("GET", "/v1/projects/shop/health");
      assert.equal(woken.json.state, "healthy");
    } finally {
      await after.shutdown();
    }
  });
});
