/** A report to a forge that waits while the platform is started again. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeRepository, serveGit } from "../../src/lib/_test_git.ts";
import { until } from "../../src/lib/_test_until.ts";
import { testNeeding } from "../helpers/empty_root.ts";
import { serveForge } from "../helpers/forge_server.ts";
import { callApi, withSandbox } from "../helpers/sandbox.ts";

const test = testNeeding("git");

const TOKEN = "s3cret-token-of-a-forge";

/** Longest wait for a build, or for the second attempt of a report. */
const PATIENCE_MS = 60_000;

test("a report that waits is sent after a restart, once", async () => {
  await withSandbox(async (box) => {
    const args = ["--allow-private-upstreams"];
    await box.start(args);
    const repository = await makeRepository(join(box.folder, "forge", "ada"), "shop");
    await repository.commit("main", { "index.html": "main" });
    const sha = await repository.commit("menu", { "index.html": "menu" });
    await Deno.symlink(`${repository.path}/.git`, join(box.folder, "forge", "ada", "shop.git"));
    await using repositories = serveGit(join(box.folder, "forge"), { basic: `ada:${TOKEN}` });
    await using forge = serveForge("gitea", { repository: "ada/shop", token: TOKEN });
    let refused = 0;
    forge.refuse = () => {
      refused++;
      return new Response(null, { status: 503 });
    };
    await callApi(box, "POST", "/v1/projects", {
      name: "shop",
      gitUrl: `${repositories.url}/ada/shop.git`,
    });
    await callApi(box, "PUT", "/v1/projects/shop/git-credentials", {
      ...{ type: "https", username: "ada", token: TOKEN, forge: "gitea", apiUrl: forge.api },
    });
    const { url } = await callApi(box, "POST", "/v1/deploy-hooks", {
      ...{ projectId: "shop", name: "gitea", branch: "main", scope: "All" },
    });
    const place = { repo: { full_name: "ada/shop" } };
    const tell = async (action: string) => {
      const response = await fetch(new URL(new URL(url).pathname, box.platform!.url), {
        method: "POST",
        headers: { "content-type": "application/json", "x-gitea-event": "pull_request" },
        body: JSON.stringify({
          ...{ action, number: 7 },
          pull_request: {
            state: "open",
            head: { ref: "menu", ...place },
            base: { ref: "main", ...place },
          },
        }),
      });
      return await response.json();
    };
    const { id } = await tell("opened");
    const read = () => callApi(box, "GET", `/v1/deployments/${id}`);
    await until(read, ({ status }) => status === "LIVE", PATIENCE_MS);
    const report = async () =>
      (await callApi(box, "GET", `/v1/deployments/${id}/forge-report`)).report;
    await until(report, (found) => found?.problem !== undefined && found?.problem !== null);
    assert.ok(refused > 0);
    assert.deepEqual([forge.statuses.length, forge.comments.size], [0, 0]);

    await box.platform!.stop();
    forge.refuse = undefined;
    await box.start(args);
    await until(report, (found) => found?.problem === null && found.isCommented, PATIENCE_MS);
    const marks = () =>
      forge.statuses.filter(({ state }) => state === "success").map((mark) => mark.sha);
    await until(marks, (sent) => sent.length > 0, PATIENCE_MS);
    const next = await repository.commit("menu", { "index.html": "more" });
    await tell("synchronized");
    await until(marks, (sent) => sent.includes(next), PATIENCE_MS);
    assert.deepEqual(marks(), [sha, next]);
    assert.deepEqual([...forge.comments.values()].map(({ pull }) => pull), [7]);
    assert.deepEqual(forge.faults, []);
  });
});
