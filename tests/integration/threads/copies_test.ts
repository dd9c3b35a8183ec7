import assert from "node:assert/strict";
import { createProject, withPlatform } from "../../helpers/platform.ts";
import { publish } from "../../helpers/upstreams.ts";
import { Visitors } from "./_visitors.ts";

const at = (value: string) => ({ path: { type: "exact", value } });

for (const edgeThreads of [2, 4]) {
  Deno.test(`${edgeThreads} threads answer hits while the platform does nothing, until a purge`, () =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await publish(platform, "shop", {
        functions: { count: `let n = 0; export default () => new Response("answer " + ++n);` },
        rules: [
          {
            id: "up",
            condition: at("/up"),
            action: { type: "pipeline", steps: [{ handle: "count" }] },
          },
          { id: "cached", condition: at("/up"), action: { type: "cache", ttlSeconds: 600 } },
        ],
      });
      using visitors = new Visitors(platform.port);
      for (let round = 1; round <= 5; round++) {
        const [first, ...others] = [...new Set(await visitors.ask("/up", 3))].sort();
        assert.deepEqual([first, ...others], [
          `200 HIT answer ${round}`,
          `200 MISS answer ${round}`,
        ]);
        const hits = await visitors.ask("/up", 5, { isBlocked: true });
        assert.deepEqual([...new Set(hits)], [`200 HIT answer ${round}`]);
        const json = { type: "path", path: "/up" };
        const { status } = await platform.api("POST", "/v1/projects/shop/purge", { json });
        assert.equal(status, 200);
      }
    }, { edgeThreads }));
}
