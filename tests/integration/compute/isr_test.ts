import assert from "node:assert/strict";
import { glob } from "node:fs/promises";
import { deployServer } from "../../helpers/compute_site.ts";
import { createProject, start, type TestPlatform, withPlatform } from "../../helpers/platform.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

const HOST = "shop.localhost";

async function page(platform: TestPlatform, path = "/pages/count", host = HOST) {
  const { headers, text, status } = await platform.get(host, path);
  return { state: headers["x-svc-cache"], text, status, started: headers["x-started"] };
}

/** Finds the complete pages that are stored on disk for all deployments. */
async function keptPages(dataDir: string): Promise<string[]> {
  return await Array.fromAsync(glob(`${dataDir}/isr/*/*.[pq]`));
}

Deno.test("a cached page survives restarts, is refreshed once, and is dropped by purges and deployments", async () => {
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployServer(platform, "shop", { version: "1" });
    const many = await Promise.all(Array.from({ length: 30 }, () => page(platform)));
    // A slow machine may refresh the page once more during these requests or before the purge.
    assert.ok(many.every(({ text }) => /^count [12]$/.test(text)), JSON.stringify(many));
    assert.equal(many.filter(({ state }) => state === "MISS").length, 1);

    const fresh = await until(() => page(platform), ({ text }) => text === "count 2");
    assert.match(String(fresh.state), /^(HIT|STALE)$/);

    const purged = await platform.api("POST", "/v1/projects/shop/purge", {
      json: { type: "path", path: "/pages/count" },
    });
    assert.equal(purged.json.purged, 1);
    const missed = await page(platform);
    assert.equal(missed.state, "MISS");
    assert.match(missed.text, /^count [34]$/);

    await deployServer(platform, "shop", { version: "2" });
    const deployed = await page(platform);
    assert.deepEqual([deployed.state, deployed.text], ["MISS", "count 1"]);
    assert.notEqual(deployed.started, fresh.started);
  });
});

Deno.test("cached pages are available immediately after a restart", async () => {
  await inTestFolder(async (dataDir) => {
    const before = await start(dataDir);
    await createProject(before, "shop");
    await deployServer(before, "shop");
    const { started } = await page(before);
    await until(() => keptPages(dataDir), (files) => files.length > 0);
    await before.shutdown();
    const after = await start(dataDir);
    try {
      const kept = await page(after);
      assert.equal(kept.started, started, "the edge serves the cached page without a server");
      assert.match(String(kept.state), /^(HIT|STALE)$/);
      const renewed = await until(() => page(after), (found) => found.started !== started);
      assert.equal(renewed.text, "count 1");
    } finally {
      await after.shutdown();
    }
  });
});
