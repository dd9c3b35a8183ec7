/** Tests the errors that a hook's callers get if the commit or repository is unavailable. */
import assert from "node:assert/strict";
import { forgeAlike, serveGit } from "../../../src/lib/_test_git.ts";
import { withHooks } from "../../helpers/deploy_hooks.ts";

Deno.test("an ambiguous short SHA is refused, and all matching commits are listed", () =>
  withHooks(async ({ hook, trigger, ended, repository }) => {
    const { url } = await hook();
    const alike = await forgeAlike(repository);
    for (const [index, sha] of alike.entries()) {
      await repository.git("branch", `forged-${index}`, sha);
    }
    const commitSha = alike[0]!.slice(0, 7);
    const { status, json } = await trigger(url, { branch: "forged-0", commitSha });
    assert.deepEqual([status, json.code], [400, "invalid_request"]);
    assert.match(json.error, new RegExp(`^Commit ${commitSha} is ambiguous: it could be `));
    for (const sha of alike) assert.ok(json.error.includes(sha), json.error);
    const named = json.problems.map(({ message }: { message: string }) => message);
    assert.deepEqual(named.sort(), [...alike].sort());
    const whole = await trigger(url, { branch: "forged-0", commitSha: alike[0] });
    assert.equal((await ended(whole)).commitSha, alike[0]);
  }));

Deno.test("a trigger reports that the repository is still being fetched, and the fetch continues", () =>
  withHooks(async ({ api, hook, trigger, ended, repository, folder }) => {
    const slow = Promise.withResolvers<void>();
    await using server = serveGit(folder, { before: () => slow.promise });
    const gitUrl = `${server.url}/site/.git`;
    assert.equal((await api("PATCH", "/v1/projects/shop", { json: { gitUrl } })).status, 200);
    const { url, id } = await hook();
    const body = { branch: "main", commitSha: await repository.git("rev-parse", "main") };
    const early = await trigger(url, body);
    assert.deepEqual([early.status, early.json.code], [503, "unavailable"]);
    assert.equal(early.json.error, "The repository is still being fetched. Try again later");
    assert.ok(Number(early.headers.get("retry-after")) > 0);
    assert.equal((await api("GET", `/v1/deploy-hooks/${id}`)).json.triggeredCount, 0);
    slow.resolve();
    let late = await trigger(url, body);
    while (late.status === 503) late = await trigger(url, body);
    assert.equal((await ended(late)).status, "LIVE");
    const fetches = server.requests.filter((path) => path.includes("info/refs"));
    assert.equal(
      fetches.length,
      1,
      "triggers during a fetch wait for it instead of starting another",
    );
  }, { allowPrivateUpstreams: true, resolveMs: 1000 }));

Deno.test("a trigger that is waiting for its repository gets a response when the platform stops", () =>
  withHooks(async ({ api, hook, trigger, shutdown, repository, folder }) => {
    const slow = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await using _server = serveGit(folder, {
      before() {
        asked.resolve();
        return slow.promise;
      },
    });
    const gitUrl = `${_server.url}/site/.git`;
    await api("PATCH", "/v1/projects/shop", { json: { gitUrl } });
    const { url } = await hook();
    const commitSha = await repository.git("rev-parse", "main");
    const waiting = trigger(url, { branch: "main", commitSha });
    await asked.promise;
    const stopping = shutdown();
    assert.equal((await waiting).status, 503);
    slow.resolve();
    await stopping;
  }, { allowPrivateUpstreams: true }));

const FORBIDDEN: readonly [string, RegExp][] = [
  ["/srv/elsewhere/site.git", /inside a folder that the operator allowed with --git-root/],
  ["file:///etc", /--git-root/],
  ["http://git.example/site.git", /must use https/],
];

Deno.test("an unusable git URL is refused when it is set", () =>
  withHooks(async ({ api }) => {
    for (const [gitUrl, reason] of FORBIDDEN) {
      const made = await api("POST", "/v1/projects", { json: { name: "other", gitUrl } });
      const changed = await api("PATCH", "/v1/projects/shop", { json: { gitUrl } });
      for (const { status, json } of [made, changed]) {
        assert.deepEqual([status, json.code], [400, "invalid_request"], gitUrl);
        assert.match(json.error, /^Git URL is not allowed: /);
        assert.match(json.error, reason);
        assert.equal(json.problems[0].path, "body.gitUrl");
      }
    }
    assert.equal((await api("GET", "/v1/projects/other")).status, 404, "no project is created");
  }));
