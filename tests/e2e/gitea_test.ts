/**
 * Uses a real forge: Gitea calls a deploy hook and receives reports about the deployment. Runs only
 * with `FORGE_TESTS=all`. The first run builds Gitea.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { git } from "../../src/lib/_test_git.ts";
import { until } from "../../src/lib/_test_until.ts";
import { type Gitea, startGitea } from "../helpers/gitea.ts";
import { hostOf, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

/** Maximum time to wait for a build and the reports about it, in milliseconds. */
const PATIENCE_MS = 60_000;

const REPOSITORY = "/repos/ada/shop";

interface Bench {
  readonly box: Sandbox;
  readonly gitea: Gitea;
  /** Commits a front page on a branch and pushes the branch. Returns the commit's SHA. */
  push(branch: string, page: string): Promise<string>;
  /** Waits until the latest status of a commit is `state`. Returns all statuses, newest first. */
  marked(sha: string, state: string): Promise<readonly Mark[]>;
  /** Waits until a pull request's only comment contains all of the strings. */
  commented(pull: number, ...texts: string[]): Promise<string>;
}

interface Mark {
  readonly id: number;
  readonly status: string;
  readonly context: string;
  readonly target_url: string;
}

async function withGitea(run: (bench: Bench) => Promise<void>): Promise<void> {
  await withSandbox(async (box) => {
    await box.start(["--allow-private-upstreams"]);
    await using gitea = await startGitea(join(box.folder, "gitea"));
    await gitea.api("POST", "/user/repos", { name: "shop", private: true, default_branch: "main" });
    const address = `${gitea.url}/ada/shop.git`;
    await box.json(["projects", "create", "--name", "shop", "--git-url", address, "--link"]);
    await Deno.writeTextFile(join(box.folder, "token"), gitea.token);
    await box.json([
      "projects",
      "git-credentials",
      "shop",
      "--username",
      gitea.user,
      "--forge",
      "gitea",
      "--from-file",
      join(box.folder, "token"),
    ]);
    const { url, secret } = await box.json(["hooks", "create", "--name", "gitea", "--signed"]);
    await gitea.api("POST", `${REPOSITORY}/hooks`, {
      type: "gitea",
      active: true,
      events: ["push", "delete", "pull_request", "pull_request_sync"],
      config: { url, secret, content_type: "json" },
    });
    await git(box.site, "init", "--quiet", "--initial-branch=main");
    const own = new URL(address);
    [own.username, own.password] = [gitea.user, gitea.token];
    await git(box.site, "remote", "add", "origin", own.href);
    await run({
      box,
      gitea,
      async push(branch, page) {
        await git(box.site, "checkout", "--quiet", "-B", branch);
        await Deno.writeTextFile(join(box.site, "index.html"), page);
        await git(box.site, "add", "--all");
        await git(box.site, "commit", "--quiet", "--message", page);
        await git(box.site, "push", "--quiet", "origin", branch);
        return await git(box.site, "rev-parse", "HEAD");
      },
      marked: (sha, state) =>
        until<readonly Mark[]>(
          // Gitea sorts by creation time, which has a resolution of one second.
          async () =>
            (await gitea.api("GET", `${REPOSITORY}/commits/${sha}/statuses`) as readonly Mark[])
              .toSorted((one, other) => other.id - one.id),
          ([last]) => last?.status === state,
          PATIENCE_MS,
        ),
      async commented(pull, ...texts) {
        const comments = await until<readonly { readonly body: string }[]>(
          () => gitea.api("GET", `${REPOSITORY}/issues/${pull}/comments`),
          (written) =>
            written.some(({ body }) => texts.every((expected) => body.includes(expected))),
          PATIENCE_MS,
        );
        assert.equal(comments.length, 1, "the existing comment is updated");
        return comments[0]!.body;
      },
    });
  });
}

Deno.test({
  name: "pushes from Gitea go live, pull requests get previews, and Gitea shows both",
  ignore: Deno.env.get("FORGE_TESTS") !== "all",
  fn: () =>
    withGitea(async ({ box, gitea, push, marked, commented }) => {
      const main = await push("main", "main");
      const [live] = await marked(main, "success");
      assert.equal(live!.context, "svc/shop/production");
      assert.match(live!.target_url, /^http/);
      assert.equal((await box.page("shop.localhost", "/")).text, "main");

      const first = await push("menu", "menu");
      const { number } = await gitea.api("POST", `${REPOSITORY}/pulls`, {
        title: "Add a menu",
        head: "menu",
        base: "main",
      });
      const marks = await marked(first, "success");
      assert.ok(
        marks.some(({ status }) => status === "pending"),
        "the commit is first marked as pending",
      );
      const comment = await commented(number, "is live", first.slice(0, 7));
      const preview = hostOf(/http:\/\/shop-git-menu[^\s)\]]+/.exec(comment)?.[0]);
      assert.equal((await box.page(preview, "/")).text, "menu");

      const second = await push("menu", "more");
      await marked(second, "success");
      await commented(number, "is live", second.slice(0, 7));
      assert.equal((await box.page(preview, "/")).text, "more");

      await gitea.api("PATCH", `${REPOSITORY}/pulls/${number}`, { state: "closed" });
      await commented(number, "was removed");
      assert.equal((await box.page(preview, "/")).status, 404);
      assert.equal((await box.page("shop.localhost", "/")).text, "main");

      await gitea.api("PATCH", `${REPOSITORY}/pulls/${number}`, { state: "open" });
      await commented(number, "is live");
      assert.equal((await box.page(preview, "/")).text, "more");
      await gitea.api("POST", `${REPOSITORY}/pulls/${number}/merge`, { Do: "merge" });
      await commented(number, "was removed");
      assert.equal((await box.page(preview, "/")).status, 404);
      await until(
        () => box.page("shop.localhost", "/"),
        ({ text }) => text === "more",
        PATIENCE_MS,
      );

      const broken = await push("broken", "broken");
      await marked(broken, "success");
      await Deno.writeTextFile(join(box.site, "svc.toml"), '[build]\ncommand = "exit 3"\n');
      const failed = await push("broken", "it fails");
      await marked(failed, "failure");
    }),
});
