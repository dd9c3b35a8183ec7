/**
 * Kills a node with `kill -9` while it receives a push, and while it builds the pushed commit. The
 * push must be applied on all nodes or on none, and it must be possible to retry the push through
 * another node. Another node must take over the build.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { cleanEnvironment } from "../../scripts/_program.ts";
import { fetchByHost } from "../../scripts/_fetch_by_host.ts";
import { isInstalled } from "../../scripts/_process.ts";
import { git } from "../../src/lib/_test_git.ts";
import { until } from "../../src/lib/_test_until.ts";
import { NO_POSTGRES, TestPg } from "../../src/platform/core/store/_test_pg.ts";
import { freeBuildUid } from "../helpers/build_users.ts";
import {
  arrivedBytes,
  beginPush,
  commitPage,
  foldersOfGit,
  inRepository,
  uncheckedObjects,
} from "../helpers/cut_pushes.ts";
import { Node } from "../helpers/machines/machines.ts";
import { freePorts } from "../helpers/machines/ports.ts";
import { TOKEN } from "../helpers/platform.ts";

/**
 * The test is slow, so it runs only with `NODES_TESTS=all`: it starts nodes three times, and a dead
 * node is detected only after ten seconds.
 */
const IS_LONG = Deno.env.get("NODES_TESTS") === "all";
const PATIENCE_MS = 90_000;
/**
 * Maximum time until another node starts a killed node's build. This usually takes 15 seconds, but
 * longer on a busy machine.
 */
const TAKEN_UP_MS = 20_000;

/**
 * Creates three nodes that share a PostgreSQL server and a folder of files, without starting them.
 * `b` runs no builds.
 */
async function startNodes(folder: string, pg: TestPg) {
  const { socket, user, database, password } = await pg.newAddress();
  const firstUid = freeBuildUid();
  const places = {
    kv: `postgres://${user}@/${database}?host=${dirname(socket!)}`,
    blobs: join(folder, "blobs"),
    env: { SVC_KV_PASSWORD: password! },
  };
  const ports = freePorts(3);
  const nodeOf = (name: string, index: number, args: readonly string[] = []): Node =>
    new Node(name, ports[index]!, {
      folder,
      args: ["--build-uid", String(firstUid + index * 1000), ...args],
      places: () => places,
    });
  return { a: nodeOf("a", 0), b: nodeOf("b", 1, ["--builds", "off"]), c: nodeOf("c", 2) };
}

/** Reads the head of `main` from a node with git, as any client would. */
async function headOf(node: Node, env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await new Deno.Command("git", {
    args: [
      "-c",
      `http.extraHeader=Authorization: Basic ${btoa(`svc:${TOKEN}`)}`,
      "ls-remote",
      `${node.url}/git/default/shop.git`,
      "refs/heads/main",
    ],
    env,
    clearEnv: true,
  }).output();
  return new TextDecoder().decode(stdout).split("\t")[0]!;
}

const front = async ({ port }: Node): Promise<string> =>
  (await fetchByHost({ port, host: "shop.localhost", path: "/" })).text;

Deno.test({
  name: "a push to a killed node leaves no partial data and can be retried on another node",
  ignore: NO_POSTGRES !== undefined || !isInstalled("git") || !IS_LONG,
  async fn(t) {
    const folder = await Deno.makeTempDir({ prefix: "svc-push-nodes-" });
    await Deno.chmod(folder, 0o755);
    await using pg = await TestPg.start();
    const env = cleanEnvironment(join(folder, "home"));
    const site = join(folder, "site");
    for (const each of [env.HOME!, site]) await Deno.mkdir(each);
    await git(site, "init", "--quiet", "--initial-branch=main");
    const { a, b, c } = await startNodes(folder, pg);
    const dataDir = join(folder, "a");
    const push = ({ url }: Node) =>
      beginPush(site, { url, repository: "default/shop.git", token: TOKEN, env });
    /**
     * Checks that both nodes have complete copies with the same head, which is one of these
     * commits.
     */
    const agree = async (...heads: readonly string[]): Promise<void> => {
      const found = await Promise.all([a, b].map((node) => headOf(node, env)));
      assert.equal(found[0], found[1]);
      assert.ok(heads.includes(found[0]!), `${found[0]} is not one of ${heads}`);
      for (const name of ["a", "b"]) {
        assert.equal(await inRepository(join(folder, name), "fsck", "--full", "--strict"), "");
      }
    };
    const startAgain = async (): Promise<void> => {
      await a.start();
      await until(() => foldersOfGit(dataDir), (names) => names.length === 0, PATIENCE_MS);
    };
    try {
      await a.start();
      await b.start();
      await a.api("POST", "/v1/projects", {
        json: { name: "shop", buildCommand: "echo begun; sleep 1" },
      });

      const one = await commitPage(site, "one");
      await t.step("while the first push's objects arrive", async () => {
        const arriving = push(a);
        await until(() => arrivedBytes(dataDir), (bytes) => bytes > 0, PATIENCE_MS);
        await a.kill();
        assert.notEqual((await arriving.ended()).code, 0);
        assert.equal(await headOf(b, env), "", "the interrupted push leaves no branch");
        await startAgain();
        const again = await push(b).ended();
        assert.equal(again.code, 0, again.said);
        await agree(one);
        for (const node of [a, b]) await until(() => front(node), (text) => text === "one");
      });

      const two = await commitPage(site, "two");
      await t.step("while git checks the next push's objects", async () => {
        const checking = push(a);
        await until(() => uncheckedObjects(dataDir), (names) => names.length > 0, PATIENCE_MS);
        await a.kill();
        assert.notEqual((await checking.ended()).code, 0);
        assert.equal(await headOf(b, env), one, "the interrupted push does not move the branch");
        const again = push(b);
        await until(() => headOf(b, env), (head) => head === two, PATIENCE_MS);
        await startAgain();
        const { code, said } = await again.ended();
        assert.equal(code, 0, said);
        await agree(two);
        assert.deepEqual(await uncheckedObjects(dataDir), []);
        for (const node of [a, b]) await until(() => front(node), (text) => text === "two");
      });

      await t.step({
        name: "while a node builds a push that another node received",
        async fn() {
          // The build continues until another node has started it again.
          await a.api("PATCH", "/v1/projects/shop", {
            json: { buildCommand: "echo begun; sleep 15" },
          });
          const three = await commitPage(site, "three");
          const building = push(b);
          const begun = () => building.said().split("remote: begun").length - 1;
          await until(begun, (count) => count === 1, PATIENCE_MS);
          await c.start();
          assert.equal(begun(), 1);
          assert.equal(await front(b), "two");
          await a.kill();
          const killed = performance.now();
          await until(begun, (count) => count === 2, PATIENCE_MS);
          const tookMs = performance.now() - killed;
          assert.ok(
            tookMs < TAKEN_UP_MS,
            `the build restarted ${tookMs} ms after its node was killed`,
          );
          await until(() => front(b), (text) => text === "three", PATIENCE_MS);
          await building.ended();
          assert.equal(await headOf(c, env), three);
          const { code, said } = await push(c).ended();
          assert.deepEqual([code, said.trim()], [0, "Everything up-to-date"]);
          await startAgain();
          await agree(three);
        },
      });
    } finally {
      for (const node of [a, b, c]) await node.kill();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
