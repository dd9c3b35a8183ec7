import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { createProject, deploy, withPlatform } from "../../helpers/platform.ts";

const HOST = "shop.localhost";
const LIMIT = 20;
const WINDOW_SECONDS = 10;
/** Longer than a window plus one of its parts, in milliseconds. */
const RUN_MS = 13_000;
/** Delay between rejected requests, in milliseconds, which leaves CPU time to other tests. */
const PAUSE_MS = 10;

Deno.test("rate_limit allows at most its limit in any window", async () => {
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", {
      files: { "index.html": "home" },
      rules: {
        schemaVersion: "EDGE_RULE_SET_V1",
        rules: [{
          id: "limit",
          action: { type: "rate_limit", limit: LIMIT, windowSeconds: WINDOW_SECONDS },
        }],
      },
    });
    /**
     * For each allowed request, the time when it was sent and the time when its response arrived.
     */
    const allowed: { readonly sent: number; readonly done: number }[] = [];
    const start = performance.now();
    while (performance.now() - start < RUN_MS) {
      const sent = performance.now();
      const { status } = await platform.get(HOST, "/");
      if (status === 200) {
        allowed.push({ sent, done: performance.now() });
        continue;
      }
      assert.equal(status, 429);
      await delay(PAUSE_MS);
    }
    assert.ok(allowed.length > LIMIT, "Requests must be allowed again");
    allowed.forEach(({ sent }, index) => {
      const after = allowed[index + LIMIT];
      if (after === undefined) return;
      assert.ok(after.done - sent >= WINDOW_SECONDS * 1000, `${after.done - sent} ms`);
    });
  });
});
