/** Tests deploy hooks for a project that receives its code from `git push`. */
import assert from "node:assert/strict";
import { git, makeRepository } from "../../../src/lib/_test_git.ts";
import { withBuilds } from "../../helpers/git_builds.ts";
import { TOKEN } from "../../helpers/platform.ts";

Deno.test("a hook for a pushed project builds pushed commits", () =>
  withBuilds(async ({ api, port, folder, trigger, ended, get }) => {
    const site = await makeRepository(`${folder}/work`);
    const { json: project } = await api("POST", "/v1/projects", { json: { name: "shop" } });
    const { json: hook } = await api("POST", "/v1/deploy-hooks", {
      json: { projectId: project.id, name: "content", branch: "main", scope: "All" },
    });
    const url = `http://127.0.0.1:${port}${new URL(hook.url).pathname}`;
    const first = await site.commit("main", { "index.html": "first" });
    const early = await trigger(url, { branch: "main", commitSha: first });
    assert.equal(early.status, 404, "a commit that has not been pushed yet gets a 404");

    const remote = `http://svc:${TOKEN}@127.0.0.1:${port}/git/${project.workspace}/shop.git`;
    await git(site.path, "push", remote, "main");
    const second = await site.commit("main", { "index.html": "second" });
    await git(site.path, "push", remote, "main");
    assert.equal((await get("shop.localhost", "/")).text, "second");

    const back = await trigger(url, { branch: "main", commitSha: first.slice(0, 12) });
    assert.equal(back.status, 200);
    assert.equal((await ended(back.id)).status, "LIVE");
    assert.equal((await get("shop.localhost", "/")).text, "first");
    const again = await trigger(url, { branch: "main", commitSha: second, force: true });
    assert.equal((await ended(again.id)).status, "LIVE");
    assert.equal((await get("shop.localhost", "/")).text, "second");
    const never = await site.commit("main", { "index.html": "never pushed" });
    assert.equal((await trigger(url, { branch: "main", commitSha: never })).status, 404);
  }));
