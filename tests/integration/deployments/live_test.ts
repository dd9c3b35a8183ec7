/**
 * As soon as the API tells a client that a deployment is live, the client must get the deployment's
 * pages.
 */
import assert from "node:assert/strict";
import { createProject, deploy, withPlatform } from "../../helpers/platform.ts";

const ROUNDS = 30;
/** Number of connections to open each time that the deployment's state has been read. */
const VISITS = 6;

Deno.test("once the API reports that a deployment is live, the edge serves it", () =>
  withPlatform(async (platform) => {
    const { id } = await createProject(platform, "shop");
    for (let round = 0; round < ROUNDS; round++) {
      const page = `<p>${round}</p>`;
      const deploying = deploy(platform, id, { files: { "index.html": page } });
      const isLive = async () => {
        const { json } = await platform.api("GET", `/v1/projects/${id}/deployments?limit=100`);
        return json.items.length === round + 1 && json.items[0].status === "LIVE";
      };
      while (!await isLive()) { /* requested again immediately */ }
      const shown = await Promise.all(
        Array.from({ length: VISITS }, () => platform.get("shop.localhost", "/")),
      );
      assert.deepEqual(new Set(shown.map(({ text }) => text)), new Set([page]), `round ${round}`);
      await deploying;
    }
  }));
