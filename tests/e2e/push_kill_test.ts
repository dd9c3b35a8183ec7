/**
 * Kills the platform with `kill -9` while it receives a push, and while it builds the pushed
 * commit.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { git } from "../../src/lib/_test_git.ts";
import { until } from "../../src/lib/_test_until.ts";
import {
  arrivedBytes,
  beginPush,
  commitPage,
  foldersOfGit,
  inRepository,
  namesIn,
  uncheckedObjects,
} from "../helpers/cut_pushes.ts";
import { testNeeding } from "../helpers/empty_root.ts";
import { callApi, type Sandbox, TOKEN, withSandbox } from "../helpers/sandbox.ts";

const test = testNeeding("git", "sh");

const PATIENCE_MS = 60_000;

const push = (box: Sandbox) =>
  beginPush(box.site, {
    url: box.platform!.url,
    repository: "default/shop.git",
    token: TOKEN,
    env: box.env,
  });

/** Starts the platform again, and checks that the interrupted push has left nothing behind. */
async function startAgain(box: Sandbox): Promise<void> {
  await box.start();
  await until(
    () => foldersOfGit(box.dataDir),
    (names) => names.length === 0,
    PATIENCE_MS,
  );
}

/** Returns the text of the production page. */
const front = async (box: Sandbox): Promise<string> => (await box.page("shop.localhost", "/")).text;

/** Checks that all objects exist, and that main's head is one of these commits. */
async function assertWhole(box: Sandbox, ...commits: readonly string[]): Promise<void> {
  assert.ok(commits.includes(await inRepository(box.dataDir, "rev-parse", "refs/heads/main")));
  assert.equal(await inRepository(box.dataDir, "fsck", "--full", "--strict"), "");
}

test("after kill -9, the repository is intact, the push can be repeated, and the build finishes", () =>
  withSandbox(async (box) => {
    await box.start();
    await callApi(box, "POST", "/v1/projects", {
      name: "shop",
      buildCommand: "echo begun; sleep 1",
    });
    await git(box.site, "init", "--quiet", "--initial-branch=main");

    // Kills the platform while objects of the first push arrive.
    const one = await commitPage(box.site, "one");
    const arriving = push(box);
    await until(() => arrivedBytes(box.dataDir), (bytes) => bytes > 0, PATIENCE_MS);
    await box.platform!.kill();
    assert.notEqual((await arriving.ended()).code, 0);
    await startAgain(box);
    assert.deepEqual(
      await namesIn(join(box.dataDir, "repositories")),
      [],
      "the interrupted push leaves no repository",
    );

    // Kills the platform while it builds the pushed commit.
    const building = push(box);
    await until(building.said, (said) => said.includes("remote: begun"), PATIENCE_MS);
    await box.platform!.kill();
    await building.ended();
    await startAgain(box);
    await assertWhole(box, one);
    await until(() => front(box), (text) => text === "one", PATIENCE_MS);
    const { code, said } = await push(box).ended();
    assert.deepEqual([code, said.trim()], [0, "Everything up-to-date"]);

    // Kills the platform while git checks objects of the next push.
    const two = await commitPage(box.site, "two");
    const checking = push(box);
    await until(() => uncheckedObjects(box.dataDir), (folders) => folders.length > 0, PATIENCE_MS);
    await box.platform!.kill();
    assert.notEqual((await checking.ended()).code, 0);
    await startAgain(box);
    await assertWhole(box, one, two);
    assert.equal(await front(box), "one");
    const again = await push(box).ended();
    assert.equal(again.code, 0, again.said);
    await assertWhole(box, two);
    assert.deepEqual(await uncheckedObjects(box.dataDir), []);
    assert.equal(await front(box), "two");
  }));
