import assert from "node:assert/strict";
import { join } from "node:path";
import { git, makeRepository } from "../../lib/_test_git.ts";
import { openFsBlobVault } from "../core/store/fs_blob_vault.ts";
import { pushedRepository } from "./pushed_repository.ts";
import { PushedRepositories, PushOvertakenError, repositoryBlobs } from "./pushed_repositories.ts";
import { DenoStore, type RecordStore } from "../../store/mod.ts";

const PROJECT = "01890000-0000-7000-8000-000000000001";
const WORKSPACE = "01890000-0000-7000-8000-000000000002";

interface Node {
  readonly path: string;
  readonly repositories: PushedRepositories;
  /** Receives a repository's content in the form in which `git push` sends it. */
  push(from: string): Promise<void>;
  head(): Promise<string>;
}

async function withNodes(
  run: (world: {
    readonly a: Node;
    readonly b: Node;
    readonly kv: RecordStore;
    removeBlobs(): Promise<void>;
  }, work: {
    readonly path: string;
    commit(text: string): Promise<string>;
  }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-pushed-" });
  const kv = await DenoStore.open(":memory:");
  const vault = await openFsBlobVault(join(folder, "blobs"));
  const work = await makeRepository(folder, "work");
  const nodeOf = (name: string): Node => {
    const root = join(folder, name);
    const path = pushedRepository(root, PROJECT);
    const repositories = new PushedRepositories({ root, kv, vault, now: () => Date.now() });
    return {
      path,
      repositories,
      push: (from) =>
        repositories.receive(PROJECT, async (publish) => {
          await take(path, from);
          await publish(path, WORKSPACE);
        }),
      head: () => git(path, "rev-parse", "main"),
    };
  };
  try {
    const commit = (text: string) => work.commit("main", { "index.html": text });
    const removeBlobs = () => Deno.remove(join(folder, "blobs", WORKSPACE), { recursive: true });
    await run({ a: nodeOf("a"), b: nodeOf("b"), kv, removeBlobs }, { path: work.path, commit });
  } finally {
    vault.close();
    kv.close();
    await Deno.remove(folder, { recursive: true });
  }
}

async function take(path: string, from: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true });
  await git(path, "init", "--quiet", "--bare", ".");
  await git(
    path,
    "-c",
    "fetch.unpackLimit=1",
    "fetch",
    "--quiet",
    from,
    "+refs/heads/*:refs/heads/*",
  );
  await git(path, "pack-refs", "--all", "--prune");
}

Deno.test("PushedRepositories shares pushes between nodes in both directions", () =>
  withNodes(async ({ a, b, kv }, work) => {
    const one = await work.commit("one");
    await a.push(work.path);
    await b.repositories.sync(PROJECT);
    assert.equal(await b.head(), one);
    await git(b.path, "fsck", "--strict");
    const two = await work.commit("two");
    await b.push(work.path);
    await a.repositories.sync(PROJECT);
    assert.equal(await a.head(), two);
    assert.equal(
      (await Array.fromAsync(repositoryBlobs(kv))).length,
      5,
      "the refs and two packs",
    );
  }));

Deno.test("an unpublished push is undone, and a push is refused if another one came first", () =>
  withNodes(async ({ a, b }, work) => {
    const one = await work.commit("one");
    await a.push(work.path);
    const two = await work.commit("two");
    const unchecked = join(a.path, "objects", "tmp_objdir-incoming-x", "pack");
    const crash = a.repositories.receive(PROJECT, async () => {
      await take(a.path, work.path);
      await Deno.mkdir(unchecked, { recursive: true });
      throw new Error("the platform was killed");
    });
    await assert.rejects(crash, /was killed/);
    assert.equal(await a.head(), two);
    await a.repositories.sync(PROJECT);
    assert.equal(await a.head(), one);
    await assert.rejects(Deno.stat(join(unchecked, "..")), Deno.errors.NotFound);
    const late = a.repositories.receive(PROJECT, async (publish) => {
      await take(a.path, work.path);
      await b.push(work.path);
      await publish(a.path, WORKSPACE);
    });
    await assert.rejects(late, PushOvertakenError);
    await a.repositories.sync(PROJECT);
    assert.equal(await a.head(), two, "what b received");
  }));

Deno.test("a single node shares its repositories, and removes copies without a record", () =>
  withNodes(async ({ a, b, kv }, work) => {
    const one = await work.commit("one");
    await take(a.path, work.path);
    const projects = async function* () {
      yield await Promise.resolve({ id: PROJECT, workspaceId: WORKSPACE });
    };
    await a.repositories.shareOwn(projects);
    await a.repositories.shareOwn(projects);
    await b.repositories.sync(PROJECT);
    assert.equal(await b.head(), one);
    assert.equal(await b.repositories.removeGone(), 0);
    for await (const { key } of kv.list({ prefix: ["pushed_repositories"] })) await kv.delete(key);
    assert.equal(await b.repositories.removeGone(), 1);
    await assert.rejects(Deno.stat(b.path), Deno.errors.NotFound);
  }));

Deno.test("PushedRepositories.unshare() keeps shared repositories and later pushes", () =>
  withNodes(async ({ a, b, kv }, work) => {
    const fail = (message: string) => assert.fail(message);
    const one = await work.commit("one");
    await a.push(work.path);
    await b.repositories.unshare(fail);
    assert.equal(await b.head(), one, "node b did not have the repository");
    assert.deepEqual(await Array.fromAsync(repositoryBlobs(kv)), []);
    const two = await work.commit("two");
    await take(b.path, work.path);
    await b.repositories.shareOwn(async function* () {
      yield await Promise.resolve({ id: PROJECT, workspaceId: WORKSPACE });
    });
    for (const { repositories } of [a, b]) await repositories.sync(PROJECT);
    assert.deepEqual([await a.head(), await b.head()], [two, two]);
  }));

Deno.test("PushedRepositories.unshare() keeps the record of a repository that it cannot read", () =>
  withNodes(async ({ a, b, kv, removeBlobs }, work) => {
    await work.commit("one");
    await a.push(work.path);
    await removeBlobs();
    const troubles: string[] = [];
    await b.repositories.unshare((message) => troubles.push(message));
    assert.match(troubles.join(), /^Cannot read the pushed repository of project /);
    assert.equal((await Array.fromAsync(repositoryBlobs(kv))).length, 3);
  }));
