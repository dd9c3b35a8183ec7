/** Mirrors of real repositories, local and over smart HTTP. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { GitCredentials } from "../projects/git_credentials.ts";
import { GitMirrors, type GitMirrorsOptions } from "./mirrors.ts";
import type { ProjectRecord } from "../projects/project.ts";
import { forgeAlike, makeRepository, makeSite, serveGit } from "../../lib/_test_git.ts";
import { testProject } from "../projects/_test_project.ts";

const NEVER = new AbortController().signal;

interface Bench {
  readonly root: string;
  readonly clock: { now: number };
  mirrors(options?: Partial<GitMirrorsOptions>): GitMirrors;
  project(gitUrl: string): ProjectRecord;
}

async function withBench(run: (bench: Bench) => Promise<void>): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "svc-git-test-" });
  const clock = { now: 1_000_000 };
  const opened: GitMirrors[] = [];
  try {
    await run({
      root,
      clock,
      mirrors(options = {}) {
        const mirrors = new GitMirrors({
          root: join(root, "mirrors"),
          pushed: join(root, "pushed"),
          path: Deno.env.get("PATH") ?? "/usr/bin:/bin",
          allowPrivate: true,
          localRoots: [root],
          credentials: () => Promise.resolve(undefined),
          outbound: () => Promise.reject(new Error("No test here fetches Git LFS files")),
          now: () => clock.now,
          ...options,
        });
        opened.push(mirrors);
        return mirrors;
      },
      project: (gitUrl) =>
        testProject({ id: "019a0000-0000-7000-8000-000000000001", name: "site", gitUrl }),
    });
  } finally {
    for (const mirrors of opened) await mirrors.close();
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("resolve() finds full and short SHAs, with their message and author", async () => {
  await withBench(async ({ root, mirrors, project }) => {
    const { repository, first, main, feature } = await makeSite(root);
    const git = mirrors();
    const site = project(repository.path);
    const found = (sha: string, message: string) => ({
      type: "found",
      sha,
      message,
      author: "Ada Lovelace",
    });
    const resolve = (branch: string, commitSha: string) =>
      git.resolve(site, { branch, commitSha }, NEVER);
    assert.deepEqual(await resolve("main", main), found(main, "Say main"));
    assert.deepEqual(await resolve("main", first.slice(0, 7).toUpperCase()), found(first, "Begin"));
    assert.equal((await resolve("feature/menu", feature.slice(0, 12))).type, "found");
    assert.deepEqual(await resolve("main", feature), { type: "not_on_branch", sha: feature });
    assert.deepEqual(await resolve("nope", main), { type: "branch_not_found" });
    assert.deepEqual(await resolve("main", "0000000"), { type: "commit_not_found" });
    const tree = await repository.git("rev-parse", `${main}^{tree}`);
    assert.deepEqual(await resolve("main", tree), { type: "commit_not_found" });
    assert.deepEqual(await git.branches(site, NEVER), {
      type: "found",
      branches: new Set(["main", "feature/menu", "docs"]),
    });
  });
});

Deno.test("resolve() lists the candidates for a short SHA that matches several commits", async () => {
  await withBench(async ({ root, mirrors, project }) => {
    const { repository, main } = await makeSite(root);
    const alike = await forgeAlike(repository);
    for (const [index, sha] of alike.entries()) {
      await repository.git("branch", `forged-${index}`, sha);
    }
    const wanted = { branch: "forged-0", commitSha: alike[0]!.slice(0, 7) };
    const answer = await mirrors().resolve(project(repository.path), wanted, NEVER);
    assert.ok(answer.type === "ambiguous", JSON.stringify(answer));
    assert.deepEqual([...answer.candidates].sort(), [...alike].sort());
    assert.equal(main.length, 40);
  });
});

Deno.test("hostile branches and SHAs are never used as options or commands", async () => {
  await withBench(async ({ root, mirrors, project }) => {
    const { repository, main } = await makeSite(root);
    const witness = join(root, "witness");
    const git = mirrors();
    const hostile = [
      `--upload-pack=touch ${witness}`,
      `--upload-pack=touch\t${witness}`,
      "--exec=x",
      "-c",
      "main;touch",
      "main\n--foo",
      "main^{commit}",
      "main..docs",
      "@{-1}",
      "../../HEAD",
      ":/Say",
    ];
    for (const branch of hostile) {
      const answer = await git.resolve(
        project(repository.path),
        { branch, commitSha: main },
        NEVER,
      );
      assert.deepEqual(answer, { type: "branch_not_found" }, branch);
      const bySha = await git.resolve(
        project(repository.path),
        { branch: "main", commitSha: branch },
        NEVER,
      );
      assert.deepEqual(bySha, { type: "commit_not_found" }, branch);
    }
    await assert.rejects(Deno.stat(witness));
    for (const gitUrl of [`--upload-pack=touch ${witness}`, `ext::sh -c "touch ${witness}"`]) {
      const answer = await git.resolve(project(gitUrl), { branch: "main", commitSha: main }, NEVER);
      assert.equal(answer.type, "unreachable");
    }
    await assert.rejects(Deno.stat(witness));
  });
});

Deno.test("resolve() finds a commit pushed a moment ago, and shares fetches", async () => {
  await withBench(async ({ root, mirrors, project, clock }) => {
    const { repository, main } = await makeSite(root);
    await using server = serveGit(root);
    const git = mirrors();
    const site = project(`${server.url}/site/.git`);
    const resolve = (commitSha: string) => git.resolve(site, { branch: "main", commitSha }, NEVER);
    const answers = await Promise.all(Array.from({ length: 20 }, () => resolve(main)));
    assert.ok(answers.every(({ type }) => type === "found"));
    const fetches = () =>
      server.requests.filter((path) => path.includes("service=git-upload-pack")).length;
    assert.equal(fetches(), 1);
    clock.now += 5_000;
    assert.equal((await resolve(main)).type, "found");
    assert.equal(fetches(), 1);
    const next = await repository.commit("main", { "index.html": "next" });
    assert.equal((await resolve(next)).type, "found");
    assert.equal(fetches(), 2);
    await repository.git("branch", "-D", "docs");
    clock.now += 60_000;
    assert.deepEqual(
      await git.resolve(site, { branch: "docs", commitSha: main }, NEVER),
      { type: "branch_not_found" },
    );
  });
});

Deno.test("a private repository needs credentials, which its mirror does not contain", async () => {
  await withBench(async ({ root, mirrors, project }) => {
    const { main } = await makeSite(root);
    await using server = serveGit(root, { basic: "ada:s3cret-token" });
    const site = project(`${server.url}/site/.git`);
    const wanted = { branch: "main", commitSha: main };
    const tryWith = (credentials: GitCredentials | undefined) =>
      mirrors({ credentials: () => Promise.resolve(credentials) }).resolve(site, wanted, NEVER);
    assert.deepEqual(await tryWith(undefined), { type: "unauthorized" });
    const wrong = { type: "https", username: "ada", token: "wrong-token" } as const;
    assert.deepEqual(await tryWith(wrong), { type: "unauthorized" });
    const right = { type: "https", username: "ada", token: "s3cret-token" } as const;
    assert.equal((await tryWith(right)).type, "found");
    const stored = await new Deno.Command("grep", {
      args: [
        "-r",
        "-l",
        "-e",
        "s3cret-token",
        "-e",
        btoa("ada:s3cret-token"),
        join(root, "mirrors"),
      ],
    }).output();
    assert.equal(new TextDecoder().decode(stored.stdout), "");
  });
});

Deno.test("credentials are not sent to a redirect's target", async () => {
  await withBench(async ({ root, mirrors, project }) => {
    const { main } = await makeSite(root);
    await using thief = serveGit(root, { basic: "x:y" });
    await using server = serveGit(root, { redirect: (path) => `${thief.url}${path}` });
    const credentials = { type: "https", username: "ada", token: "s3cret-token" } as const;
    const git = mirrors({ credentials: () => Promise.resolve(credentials) });
    const site = project(`${server.url}/site/.git`);
    const answer = await git.resolve(site, { branch: "main", commitSha: main }, NEVER);
    assert.ok(answer.type === "unreachable", JSON.stringify(answer));
    assert.match(answer.reason, /has moved/);
    assert.deepEqual(thief.requests, []);
  });
});

Deno.test("private addresses and local folders need the operator's permission", async () => {
  await withBench(async ({ root, mirrors, project }) => {
    const { repository, main } = await makeSite(root);
    await using server = serveGit(root);
    const strict = mirrors({ allowPrivate: false, localRoots: [] });
    const wanted = { branch: "main", commitSha: main };
    for (const gitUrl of [repository.path, `${server.url}/site/.git`, "https://127.0.0.1/site"]) {
      const answer = await strict.resolve(project(gitUrl), wanted, NEVER);
      assert.equal(answer.type, "unreachable", gitUrl);
    }
    assert.deepEqual(server.requests, []);
  });
});

Deno.test("a damaged or incomplete mirror is recreated, and locks that a crash left behind are removed", async () => {
  await withBench(async ({ root, mirrors, project, clock }) => {
    const { repository, main } = await makeSite(root);
    const site = project(repository.path);
    const path = join(root, "mirrors", `${site.id}.git`);
    const wanted = { branch: "main", commitSha: main };
    const first = mirrors();
    assert.equal((await first.resolve(site, wanted, NEVER)).type, "found");
    await Deno.writeTextFile(join(path, "packed-refs.lock"), "");
    await Deno.mkdir(join(root, "mirrors", "incoming-left-over"));
    const second = mirrors();
    await second.recover();
    assert.deepEqual(
      (await Array.fromAsync(Deno.readDir(join(root, "mirrors")))).map(({ name }) => name).sort(),
      [".home", `${site.id}.git`],
    );
    const next = await repository.commit("main", { "a.html": "a" });
    clock.now += 60_000;
    assert.equal((await second.resolve(site, { ...wanted, commitSha: next }, NEVER)).type, "found");
    await Deno.remove(join(path, "HEAD"));
    clock.now += 60_000;
    assert.equal((await second.resolve(site, { ...wanted, commitSha: next }, NEVER)).type, "found");
    await second.removeMirror(site.id);
    await assert.rejects(Deno.stat(path));
  });
});

Deno.test("exportCommit() exports one commit without history, hooks or remotes", async () => {
  await withBench(async ({ root, mirrors, project }) => {
    const { repository, first } = await makeSite(root);
    const site = project(repository.path);
    const git = mirrors();
    const wanted = { branch: "main", commitSha: first };
    await git.resolve(site, wanted, NEVER);
    const target = join(root, "checkout");
    await git.exportCommit(site, wanted, { target, signal: NEVER });
    const inside = async (...args: string[]) =>
      new TextDecoder().decode(
        (await new Deno.Command("git", { args: ["-C", target, ...args] }).output()).stdout,
      ).trim();
    assert.equal(await inside("rev-parse", "HEAD"), first);
    assert.equal(await inside("rev-list", "--count", "HEAD"), "1");
    assert.equal(await inside("remote"), "");
    await assert.rejects(Deno.stat(join(target, "index.html")));
    await git.removeMirror(site.id);
    await git.exportCommit(site, wanted, { target: join(root, "again"), signal: NEVER });
  });
});

Deno.test("an empty repository has no branches", async () => {
  await withBench(async ({ root, mirrors, project }) => {
    const repository = await makeRepository(root);
    const git = mirrors();
    const site = project(repository.path);
    const wanted = { branch: "main", commitSha: "a".repeat(40) };
    assert.deepEqual(await git.resolve(site, wanted, NEVER), { type: "branch_not_found" });
    assert.deepEqual(await git.branches(site, NEVER), { type: "found", branches: new Set() });
  });
});

Deno.test("forget() does not wait for a repository that does not respond", async () => {
  await withBench(async ({ root, mirrors, project }) => {
    const { main } = await makeSite(root);
    const [asked, never] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using server = serveGit(root, {
      before() {
        asked.resolve();
        return never.promise;
      },
    });
    const git = mirrors({ allowPrivate: true });
    const site = project(`${server.url}/site/.git`);
    const resolving = git.resolve(site, { branch: "main", commitSha: main }, NEVER);
    const ended = assert.rejects(resolving, /The project was deleted/);
    await asked.promise;
    await git.removeMirror(site.id);
    await ended;
    const names = Array.from(Deno.readDirSync(join(root, "mirrors")), ({ name }) => name);
    assert.deepEqual(names, [".home"]);
    never.resolve();
  });
});

Deno.test("a fetch that takes too long is stopped, and leaves nothing behind", async () => {
  await withBench(async ({ root, mirrors, project }) => {
    const { repository, main } = await makeSite(root);
    const git = mirrors({ limits: { fetchMs: 1 } });
    const answer = await git.resolve(
      project(repository.path),
      { branch: "main", commitSha: main },
      NEVER,
    );
    assert.deepEqual(answer, {
      type: "unreachable",
      reason: "The repository did not respond in time",
    });
    const left = (await Array.fromAsync(Deno.readDir(join(root, "mirrors"))))
      .map(({ name }) => name);
    assert.deepEqual(left, [".home"]);
  });
});
