/** Deploys the first site from an empty folder, then previews of branches and pull requests. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { git, serveGit } from "../../src/lib/_test_git.ts";
import { until } from "../../src/lib/_test_until.ts";
import { ROOT } from "../../scripts/_source_files.ts";
import { testNeeding } from "../helpers/empty_root.ts";
import { type ForgeServer, serveForge } from "../helpers/forge_server.ts";
import { callApi, hostOf, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const test = testNeeding("git");

/** The name of the repository in the recorded payloads. */
const REPOSITORY = "Codertocat/Hello-World";
const PULL = 2;
const BRANCH = "changes";

const FORGE_TOKEN = "s3cret-token-of-a-forge";

/** Runs the real git client as a user would. Returns its output. */
async function asPerson(box: Sandbox, ...args: string[]): Promise<string> {
  const { code, stderr } = await new Deno.Command("git", {
    args: ["-C", box.site, ...args],
    env: { ...box.env, GIT_TERMINAL_PROMPT: "0" },
    clearEnv: true,
  }).output();
  const said = new TextDecoder().decode(stderr);
  assert.equal(code, 0, `git ${args.join(" ")}: ${said}`);
  return said;
}

/** Commits a front page on a branch, which is created if it is missing. */
async function commitPage(box: Sandbox, branch: string, page: string): Promise<string> {
  await git(box.site, "checkout", "--quiet", "-B", branch);
  await Deno.writeTextFile(join(box.site, "index.html"), page);
  await git(box.site, "add", "--all");
  await git(box.site, "commit", "--quiet", "--message", page);
  return await git(box.site, "rev-parse", "HEAD");
}

interface Delivered {
  readonly id?: string;
  readonly isPreview?: boolean;
  readonly urls?: Readonly<Record<string, string>>;
  readonly message: string;
}

/** Sends a recorded payload to the hook at `at`, signed as the forge would sign it. */
async function deliver(box: Sandbox, name: string, hook: Record<string, unknown>, at: URL) {
  const recorded = await Deno.readTextFile(
    join(ROOT, "fixtures", "forges", `github_${name}.json`),
  );
  const body = recorded.replaceAll("https://github.com/", `${at.origin}/`);
  const signature = createHmac("sha256", String(hook.secret)).update(body).digest("hex");
  const { pathname } = new URL(String(hook.url));
  const response = await fetch(new URL(pathname, box.platform!.url), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "GitHub-Hookshot/044aadd",
      "x-github-event": name.replace(/_(?:opened|closed)$/, ""),
      "x-github-delivery": crypto.randomUUID(),
      "x-hub-signature-256": `sha256=${signature}`,
    },
    body,
  });
  const answer: Delivered = await response.json();
  return { ...answer, code: response.status };
}

const isLive = async (box: Sandbox, id: string | undefined) => {
  const read = () => callApi(box, "GET", `/v1/deployments/${id}`);
  const { status, error } = await until(
    read,
    (deployment) => ["LIVE", "FAILED"].includes(deployment.status),
    60_000,
  );
  assert.equal(status, "LIVE", error);
};

const states = ({ statuses }: ForgeServer, sha: string) =>
  statuses.filter((status) => status.sha === sha).map(({ state }) => state);

test("three commands and a push make a site live; a branch and a pull request get previews", async () => {
  await withSandbox(async (box) => {
    await box.start(["--allow-private-upstreams"]);
    await git(box.site, "init", "--quiet", "--initial-branch=master");
    // The first command is `svc login`. Here, the key is in the environment instead.
    await box.json(["projects", "create", "--name", "hello-world", "--branch", "master", "--link"]);
    await box.json(["link", "--git-remote"]);
    await commitPage(box, "master", "pushed");
    const said = await asPerson(box, "push", "svc", "master");
    assert.match(said, /remote: svc: master is live at http:\/\/hello-world\.localhost/);
    assert.equal((await box.page("hello-world.localhost", "/")).text, "pushed");

    await commitPage(box, "menu", "menu");
    const branch = await asPerson(box, "push", "svc", "menu");
    const menu = hostOf(/menu is live at (\S+)/.exec(branch)?.[1]);
    assert.equal((await box.page(menu, "/")).text, "menu");
    assert.equal((await box.page("hello-world.localhost", "/")).text, "pushed");
    await asPerson(box, "push", "svc", "--delete", "menu");
    assert.equal((await box.page(menu, "/")).status, 404);

    await followForge(box);
  });
});

/** Moves the folder to a forge, which calls a hook and receives reports about the deployment. */
async function followForge(box: Sandbox): Promise<void> {
  const bare = join(box.folder, "forge", `${REPOSITORY}.git`);
  await Deno.mkdir(bare, { recursive: true });
  await git(bare, "init", "--quiet", "--bare", "--initial-branch=master");
  await git(bare, "config", "http.receivepack", "true");
  await using repositories = serveGit(join(box.folder, "forge"), {
    basic: `ada:${FORGE_TOKEN}`,
  });
  await using forge = serveForge("github", { repository: REPOSITORY, token: FORGE_TOKEN });
  const address = new URL(`${REPOSITORY}.git`, repositories.url);
  await box.json(["projects", "update", "hello-world", "--git-url", address.href]);
  await Deno.writeTextFile(join(box.folder, "token"), FORGE_TOKEN);
  await box.json([
    "projects",
    "git-credentials",
    "hello-world",
    "--username",
    "ada",
    "--forge",
    "github",
    "--forge-api",
    forge.api,
    "--from-file",
    join(box.folder, "token"),
  ]);
  const hook = await box.json(["hooks", "create", "--name", "github", "--signed"]);
  const own = new URL(address);
  [own.username, own.password] = ["ada", FORGE_TOKEN];
  await git(box.site, "remote", "add", "origin", own.href);

  const ping = await deliver(box, "ping", hook, address);
  assert.deepEqual([ping.code, ping.message], [202, "GitHub: The hook works"]);
  const first = await commitPage(box, "master", "from the forge");
  await asPerson(box, "push", "--quiet", "origin", "master");
  const pushed = await deliver(box, "push", hook, address);
  assert.deepEqual([pushed.code, pushed.isPreview], [200, false], pushed.message);
  await isLive(box, pushed.id);
  assert.equal((await box.page("hello-world.localhost", "/")).text, "from the forge");
  await until(() => states(forge, first).at(-1), (state) => state === "success");

  const head = await commitPage(box, BRANCH, "changes");
  await asPerson(box, "push", "--quiet", "origin", BRANCH);
  const opened = await deliver(box, "pull_request_opened", hook, address);
  assert.deepEqual([opened.code, opened.isPreview], [200, true], opened.message);
  await isLive(box, opened.id);
  const preview = hostOf(opened.urls?.branch);
  assert.equal((await box.page(preview, "/")).text, "changes");
  await until(() => states(forge, head).at(-1), (state) => state === "success");
  assert.equal(states(forge, head)[0], "pending", "the commit is first marked as pending");
  const [comment] = await until(
    () => [...forge.comments.values()],
    ([written]) => written?.text.includes("is live") === true,
  );
  assert.equal(comment!.pull, PULL);
  assert.ok(comment!.text.includes(opened.urls!.branch!), comment!.text);

  const closed = await deliver(box, "pull_request_closed", hook, address);
  assert.deepEqual(
    [closed.code, closed.message],
    [202, `GitHub: The preview of '${BRANCH}' was removed`],
  );
  assert.equal((await box.page(preview, "/")).status, 404);
  assert.equal((await box.page("hello-world.localhost", "/")).text, "from the forge");
  await until(
    () => [...forge.comments.values()],
    ([written]) => written?.text.includes("was removed") === true,
  );
  assert.equal(forge.comments.size, 1, "the existing comment is updated");
  assert.deepEqual(forge.faults, []);
}
