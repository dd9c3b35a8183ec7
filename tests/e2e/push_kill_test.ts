/** `kill -9` of the platform while it takes a push, and while it builds what was pushed. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { git } from "../../src/lib/_test_git.ts";
import { until } from "../../src/lib/_test_until.ts";
import { testNeeding } from "../helpers/empty_root.ts";
import { callApi, type Sandbox, TOKEN, withSandbox } from "../helpers/sandbox.ts";

const test = testNeeding("git", "sh");

const PATIENCE_MS = 60_000;

/** Begins a push of main, as one who has the key. */
function beginPush(box: Sandbox) {
  const key = btoa(`svc:${TOKEN}`);
  const child = new Deno.Command("git", {
    args: [
      ...["-C", box.site, "-c", `http.extraHeader=Authorization: Basic ${key}`, "push"],
      ...[`${box.platform!.url}/git/default/shop.git`, "main"],
    ],
    env: { ...box.env, GIT_TERMINAL_PROMPT: "0" },
    clearEnv: true,
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  const reading = (async () => {
    for await (const part of child.stderr.pipeThrough(new TextDecoderStream())) said += part;
  })();
  return {
    said: () => said,
    async ended() {
      const { code } = await child.status;
      await reading;
      return { code, said };
    },
  };
}

/** Commits a page that says `text`, beside 8 MiB that no compression makes smaller. */
async function commit(box: Sandbox, text: string): Promise<string> {
  await Deno.writeTextFile(join(box.site, "index.html"), text);
  const picture = new Uint8Array(8 * 1024 * 1024);
  for (let at = 0; at < picture.length; at += 65_536) {
    crypto.getRandomValues(picture.subarray(at, at + 65_536));
  }
  await Deno.writeFile(join(box.site, "picture.bin"), picture);
  await git(box.site, "add", "--all");
  await git(box.site, "commit", "--quiet", "--message", text);
  return await git(box.site, "rev-parse", "HEAD");
}

async function namesIn(folder: string): Promise<string[]> {
  const names = Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  return await names.catch(() => []);
}

/** Bytes that have arrived of the push that is under way. */
async function arrived(box: Sandbox): Promise<number> {
  const builds = join(box.dataDir, "builds");
  const sizes = (await namesIn(builds)).map((name) =>
    Deno.stat(join(builds, name, "work", "request")).then(({ size }) => size, () => 0)
  );
  return Math.max(0, ...await Promise.all(sizes));
}

/** Runs git in the project's repository on the platform. */
async function inRepository(box: Sandbox, ...args: string[]): Promise<string> {
  const [name] = await namesIn(join(box.dataDir, "repositories"));
  const repository = join(box.dataDir, "repositories", name!);
  return await git(repository, "-c", "safe.directory=*", ...args);
}

/** Folders of pushes whose objects git has not checked yet. */
async function incoming(box: Sandbox): Promise<readonly string[]> {
  const [name] = await namesIn(join(box.dataDir, "repositories"));
  if (name === undefined) return [];
  const objects = await namesIn(join(box.dataDir, "repositories", name, "objects"));
  return objects.filter((each) => each.startsWith("tmp_objdir"));
}

/** Starts the platform again, and sees that nothing is left of the push that was cut off. */
async function startAgain(box: Sandbox): Promise<void> {
  await box.start();
  await until(
    async () => (await namesIn(join(box.dataDir, "builds"))).filter((name) => /^git-/.test(name)),
    (names) => names.length === 0,
    PATIENCE_MS,
  );
}

/** The page that production shows. */
const front = async (box: Sandbox): Promise<string> => (await box.page("shop.localhost", "/")).text;

/** Sees that all objects are there, and that main is one of these commits. */
async function assertWhole(box: Sandbox, ...commits: readonly string[]): Promise<void> {
  assert.ok(commits.includes(await inRepository(box, "rev-parse", "refs/heads/main")));
  assert.equal(await inRepository(box, "fsck", "--full", "--strict"), "");
}

test("kill -9 amid a push and its build: the repository is whole, the push can be repeated, the build ends", () =>
  withSandbox(async (box) => {
    await box.start();
    await callApi(box, "POST", "/v1/projects", {
      ...{ name: "shop", buildCommand: "echo begun; sleep 1" },
    });
    await git(box.site, "init", "--quiet", "--initial-branch=main");

    // While the objects of the first push arrive.
    const one = await commit(box, "one");
    const arriving = beginPush(box);
    await until(() => arrived(box), (bytes) => bytes > 0, PATIENCE_MS);
    await box.platform!.kill();
    assert.notEqual((await arriving.ended()).code, 0);
    await startAgain(box);
    assert.deepEqual(await namesIn(join(box.dataDir, "repositories")), [], "no half of one");

    // While what was pushed is built.
    const building = beginPush(box);
    await until(building.said, (said) => said.includes("remote: begun"), PATIENCE_MS);
    await box.platform!.kill();
    await building.ended();
    await startAgain(box);
    await assertWhole(box, one);
    await until(() => front(box), (text) => text === "one", PATIENCE_MS);
    const { code, said } = await beginPush(box).ended();
    assert.deepEqual([code, said.trim()], [0, "Everything up-to-date"]);

    // While git checks the objects of the next one.
    const two = await commit(box, "two");
    const checking = beginPush(box);
    await until(() => incoming(box), (folders) => folders.length > 0, PATIENCE_MS);
    await box.platform!.kill();
    assert.notEqual((await checking.ended()).code, 0);
    await startAgain(box);
    await assertWhole(box, one, two);
    assert.equal(await front(box), "one");
    const again = await beginPush(box).ended();
    assert.equal(again.code, 0, again.said);
    await assertWhole(box, two);
    assert.deepEqual(await incoming(box), []);
    assert.equal(await front(box), "two");
  }));
