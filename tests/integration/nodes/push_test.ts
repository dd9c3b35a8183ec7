/**
 * Every node must accept pushes. Every node must be able to read and build a push, even after the
 * node that received it has stopped.
 */
import assert from "node:assert/strict";
import { git, makeRepository } from "../../../src/lib/_test_git.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import type { TestPlatform } from "../../helpers/platform.ts";

/** Further builds are tested only in the long form, because each build takes seconds. */
const IS_LONG = Deno.env.get("NODES_TESTS") === "all";

const ENV = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0" };

async function run(...args: string[]) {
  const { code, stderr } = await new Deno.Command("git", { args, env: ENV }).output();
  return { code, text: new TextDecoder().decode(stderr) };
}

async function mustRun(...args: string[]) {
  const { code, text } = await run(...args);
  assert.equal(code, 0, text);
  return text;
}

const shows = (node: TestPlatform, text: string) =>
  until(async () => (await node.get("shop.localhost", "/")).text.includes(text));

Deno.test({
  name: "a repository pushed through one node can be cloned, pushed to and built on another node",
  ignore: NO_POSTGRES !== undefined,
  async fn(t) {
    await using cluster = await Cluster.open();
    const options = { allowPrivateUpstreams: true };
    const a = await cluster.start("a", { ...options, nodeId: "a", builds: { here: "off" } });
    const b = await cluster.start("b", { ...options, nodeId: "b", buildConcurrency: 1 });
    const { key } = (await a.api("POST", "/v1/api-keys", { json: { name: "git" } })).json;
    const { json: project } = await a.api("POST", "/v1/projects", { json: { name: "shop" } });
    const urlOf = ({ port }: TestPlatform) =>
      `http://svc:${key}@127.0.0.1:${port}/git/${project.workspace}/shop.git`;
    const site = await makeRepository(`${cluster.folder}/work`);

    await t.step(
      "the repository is pushed through node a, built on node b, and cloned through both",
      async () => {
        await site.commit("main", { "index.html": "one" });
        const text = await mustRun("-C", site.path, "push", urlOf(a), "main");
        assert.match(
          text,
          /remote: Building commit [^]*main is live at/,
          "the push shows node b's log",
        );
        await shows(a, "one");
        for (const [name, node] of [["of-a", a], ["of-b", b]] as const) {
          const folder = `${cluster.folder}/${name}`;
          await mustRun("clone", "--quiet", urlOf(node), folder);
          assert.equal(await Deno.readTextFile(`${folder}/index.html`), "one");
        }
      },
    );

    await t.step("the repository is pushed through node b, then through node a again", async () => {
      const pages = [[b, "two"], [a, "three"], [b, "four"]] as const;
      for (const [node, page] of IS_LONG ? pages : pages.slice(0, 1)) {
        await site.commit("main", { "index.html": page });
        await mustRun("-C", site.path, "push", urlOf(node), "main");
        await shows(a, page);
      }
      if (!IS_LONG) return;
      await git(site.path, "checkout", "--quiet", "-b", "side", "main");
      await site.commit("side", { "index.html": "side" });
      await mustRun("-C", site.path, "push", urlOf(a), "side");
      await mustRun("-C", site.path, "push", urlOf(b), "--delete", "side");
      const refs = await new Deno.Command("git", { args: ["ls-remote", urlOf(a)], env: ENV })
        .output();
      assert.doesNotMatch(new TextDecoder().decode(refs.stdout), /side/);
    });

    const race = async () => {
      const clones = await Promise.all([a, b].map(async (node, index) => {
        const folder = `${cluster.folder}/racer${index}`;
        await mustRun("clone", "--quiet", urlOf(node), folder);
        const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
        await mustRun("-C", folder, "checkout", "--quiet", "-b", `racer${index}`);
        await mustRun("-C", folder, ...identity, "commit", "--allow-empty", "-qm", "race");
        return { node, folder };
      }));
      const pushes = await Promise.all(
        clones.map(({ node, folder }, index) =>
          run("-C", folder, "push", urlOf(node), `racer${index}`)
        ),
      );
      for (const [index, { code, text }] of pushes.entries()) {
        if (code === 0) continue;
        assert.match(text, /another push came first: fetch and push again/);
        const { node, folder } = clones[index]!;
        await mustRun("-C", folder, "push", urlOf(node), `racer${index}`);
      }
      for (const node of [a, b]) {
        const refs = await new Deno.Command("git", { args: ["ls-remote", urlOf(node)], env: ENV })
          .output();
        assert.match(new TextDecoder().decode(refs.stdout), /racer0[^]*racer1/);
      }
    };
    await t.step({
      name: "each of two simultaneous pushes through two nodes is either applied or refused",
      ignore: !IS_LONG,
      fn: race,
    });

    await t.step(
      "an unused node serves everything when the others are gone",
      async () => {
        await cluster.stop(a);
        await cluster.stop(b);
        const c = await cluster.start("c", { ...options, nodeId: "c", buildConcurrency: 1 });
        const folder = `${cluster.folder}/of-c`;
        await mustRun("clone", "--quiet", urlOf(c), folder);
        assert.equal(
          await Deno.readTextFile(`${folder}/index.html`),
          IS_LONG ? "four" : "two",
        );
        if (!IS_LONG) return;
        await git(site.path, "checkout", "--quiet", "main");
        await site.commit("main", { "index.html": "five" });
        await mustRun("-C", site.path, "push", urlOf(c), "main");
        await shows(c, "five");
        await c.api("DELETE", "/v1/projects/shop");
        await until(async () => await cluster.countRecords("pushed_repositories") === 0);
      },
    );
  },
});
