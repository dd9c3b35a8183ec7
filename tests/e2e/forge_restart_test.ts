/** Stops or kills the platform while a report to a forge is waiting or being sent. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeRepository, serveGit } from "../../src/lib/_test_git.ts";
import { until } from "../../src/lib/_test_until.ts";
import { testNeeding } from "../helpers/empty_root.ts";
import { type ForgeServer, serveForge } from "../helpers/forge_server.ts";
import { callApi, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const test = testNeeding("git");

const TOKEN = "s3cret-token-of-a-forge";

/** Maximum time to wait for a build, or for the second attempt at a report, in milliseconds. */
const PATIENCE_MS = 60_000;

const ARGS = ["--allow-private-upstreams"];

type Repository = Awaited<ReturnType<typeof makeRepository>>;

interface ForgeBench {
  readonly box: Sandbox;
  readonly forge: ForgeServer;
  readonly repository: Repository;
  /** Head of the branch `menu`. */
  readonly sha: string;
  /** Calls the deploy hook as the forge would for pull request 7. Returns the deployment. */
  tell(action: string): Promise<{ readonly id: string }>;
  status(id: string): Promise<string>;
  report(id: string): Promise<{ readonly problem: string | null; readonly isCommented: boolean }>;
  /** Commits that were reported as live, in the order of the reports. */
  marks(): readonly string[];
}

/** Runs a test with a project whose repository is on a forge and has a pull request there. */
async function withForge(test: (parts: ForgeBench) => Promise<void>): Promise<void> {
  await withSandbox(async (box) => {
    await box.start(ARGS);
    const repository = await makeRepository(join(box.folder, "forge", "ada"), "shop");
    await repository.commit("main", { "index.html": "main" });
    const sha = await repository.commit("menu", { "index.html": "menu" });
    await Deno.symlink(`${repository.path}/.git`, join(box.folder, "forge", "ada", "shop.git"));
    await using repositories = serveGit(join(box.folder, "forge"), { basic: `ada:${TOKEN}` });
    await using forge = serveForge("gitea", { repository: "ada/shop", token: TOKEN });
    await callApi(box, "POST", "/v1/projects", {
      name: "shop",
      gitUrl: `${repositories.url}/ada/shop.git`,
    });
    await callApi(box, "PUT", "/v1/projects/shop/git-credentials", {
      type: "https",
      username: "ada",
      token: TOKEN,
      forge: "gitea",
      apiUrl: forge.api,
    });
    const { url } = await callApi(box, "POST", "/v1/deploy-hooks", {
      projectId: "shop",
      name: "gitea",
      branch: "main",
      scope: "All",
    });
    const place = { repo: { full_name: "ada/shop" } };
    const tell = async (action: string) => {
      const response = await fetch(new URL(new URL(url).pathname, box.platform!.url), {
        method: "POST",
        headers: { "content-type": "application/json", "x-gitea-event": "pull_request" },
        body: JSON.stringify({
          action,
          number: 7,
          pull_request: {
            state: "open",
            head: { ref: "menu", ...place },
            base: { ref: "main", ...place },
          },
        }),
      });
      return await response.json();
    };
    const marks = () =>
      forge.statuses.filter(({ state }) => state === "success").map((mark) => mark.sha);
    await test({
      box,
      forge,
      repository,
      sha,
      tell,
      marks,
      status: async (id) => (await callApi(box, "GET", `/v1/deployments/${id}`)).status,
      report: async (id) =>
        (await callApi(box, "GET", `/v1/deployments/${id}/forge-report`)).report,
    });
    assert.deepEqual(forge.faults, []);
  });
}

const isSent = (found: Awaited<ReturnType<ForgeBench["report"]>> | null) =>
  found?.problem === null && found.isCommented;

test("a pending report is sent once after a restart", () =>
  withForge(async ({ box, forge, repository, sha, tell, status, report, marks }) => {
    let refused = 0;
    forge.refuse = () => {
      refused++;
      return new Response(null, { status: 503 });
    };
    const { id } = await tell("opened");
    await until(() => status(id), (found) => found === "LIVE", PATIENCE_MS);
    await until(
      () => report(id),
      (found) => found?.problem !== undefined && found.problem !== null,
    );
    assert.ok(refused > 0);
    assert.deepEqual([forge.statuses.length, forge.comments.size], [0, 0]);

    await box.platform!.stop();
    forge.refuse = undefined;
    await box.start(ARGS);
    await until(() => report(id), isSent, PATIENCE_MS);
    await until(marks, (sent) => sent.length > 0, PATIENCE_MS);
    const next = await repository.commit("menu", { "index.html": "more" });
    await tell("synchronized");
    await until(marks, (sent) => sent.includes(next), PATIENCE_MS);
    assert.deepEqual(marks(), [sha, next]);
    assert.deepEqual([...forge.comments.values()].map(({ pull }) => pull), [7]);
  }));

test("a report interrupted by kill -9 is sent again without repeating its comment", () =>
  withForge(async ({ box, forge, sha, tell, report, marks }) => {
    const kills: string[] = [];
    const begun = new Set<string>();
    let started = Promise.resolve();
    // The forge has processed the request, but the platform never receives the response.
    forge.carriedOut = async ({ method, url }) => {
      const what = /comments$/.test(url) ? "comment" : marks().length > 0 ? "status" : undefined;
      if (method !== "POST" || what === undefined || begun.has(what)) return;
      begun.add(what);
      await started;
      kills.push(what);
      await box.platform!.kill();
    };
    const { id } = await tell("opened");
    // Both requests can be interrupted when the platform is killed.
    for (let seen = 0; seen < 2;) {
      await until(() => kills.length, (count) => count > seen, PATIENCE_MS);
      seen = kills.length;
      started = box.start(ARGS).then(() => {});
      await started;
    }
    assert.deepEqual(kills.toSorted(), ["comment", "status"]);
    await until(() => report(id), isSent, PATIENCE_MS);
    await until(marks, (sent) => sent.length > 1, PATIENCE_MS);
    assert.deepEqual(new Set(marks()), new Set([sha]));
    assert.deepEqual([...forge.comments.values()].map(({ pull }) => pull), [7]);
    assert.match([...forge.comments.values()][0]!.text, /http/);
  }));
