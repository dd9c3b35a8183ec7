/** Whoever reads that a deployment is live, while it goes live, finds it in every thread. */
import assert from "node:assert/strict";
import { createProject, deploy, withPlatform } from "../../helpers/platform.ts";

const THREADS = 4;
const ROUNDS = 30;
/** Connections after each reading, which the kernel spreads over the threads. */
const VISITS = 6;

Deno.test({
  name: "what the API says is live, every thread shows from then on",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withPlatform(async (platform) => {
      const { id } = await createProject(platform, "shop");
      for (let round = 0; round < ROUNDS; round++) {
        const page = `<p>${round}</p>`;
        const deploying = deploy(platform, id, { files: { "index.html": page } });
        const isLive = async () => {
          const { json } = await platform.api("GET", `/v1/projects/${id}/deployments?limit=100`);
          return json.items.length === round + 1 && json.items[0].status === "LIVE";
        };
        while (!await isLive()) { /* asked again at once */ }
        const shown = await Promise.all(
          Array.from({ length: VISITS }, () => platform.get("shop.localhost", "/")),
        );
        assert.deepEqual(new Set(shown.map(({ text }) => text)), new Set([page]), `round ${round}`);
        await deploying;
      }
    }, { edgeThreads: THREADS }),
});
