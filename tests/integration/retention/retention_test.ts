import assert from "node:assert/strict";
import { withHooks } from "../../helpers/deploy_hooks.ts";
import { deploy, type TestPlatform } from "../../helpers/platform.ts";
import { until } from "../../../src/lib/_test_until.ts";

const hostOf = (url: string) => new URL(url).hostname;
const page = (text: string) => ({ "index.html": `<p>${text}</p>` });

const idsOf = async (platform: TestPlatform): Promise<string[]> =>
  (await platform.api("GET", "/v1/projects/shop/deployments?limit=100")).json.items
    .map(({ id }: { id: string }) => id);

/** The minimum of `--housekeeping-minutes`, in milliseconds. */
const HOUSEKEEPING_MS = 600;

Deno.test("old deployments are deleted, but production, its history and branches remain", () =>
  withHooks(async (platform) => {
    const made = [];
    for (const text of ["one", "two", "three", "four"]) {
      made.push(await deploy(platform, "shop", { files: page(text) }));
    }
    const branch = await deploy(platform, "shop", { files: page("b"), prod: false, branch: "b" });
    const latest = await deploy(platform, "shop", { files: page("c"), prod: false, branch: "c" });
    const later = await deploy(platform, "shop", { files: page("b2"), prod: false, branch: "b" });
    const kept = [made[2].id, made[3].id, latest.id, later.id].sort();
    await until(
      async () => JSON.stringify((await idsOf(platform)).sort()) === JSON.stringify(kept),
    );
    for (const gone of [made[0], made[1], branch]) {
      assert.equal((await platform.get(hostOf(gone.url), "/")).status, 404);
      assert.equal((await platform.api("GET", `/v1/deployments/${gone.id}`)).status, 404);
    }
    assert.equal((await platform.get("shop-git-b.localhost", "/")).text, "<p>b2</p>");
    assert.equal((await platform.get("shop-git-c.localhost", "/")).text, "<p>c</p>");
    const back = await platform.api("POST", "/v1/projects/shop/rollback", { json: {} });
    assert.equal(back.json.deployment.id, made[2].id);
    assert.equal((await platform.get("shop.localhost", "/")).text, "<p>three</p>");
    await until(() => platform.logged.some((line) => /removed \d+ old deployments?/.test(line)));
    assert.deepEqual(platform.logged.filter((line) => line.startsWith("error")), []);
  }, { retention: { keepDeployments: 2, keepDays: 0 }, housekeepingMs: HOUSEKEEPING_MS }));

Deno.test("a deleted deployment's commit can be triggered again, and its build logs are deleted", () =>
  withHooks(async (platform) => {
    const { api, hook, trigger, ended, repository } = platform;
    const { url } = await hook();
    const body = { branch: "main", commitSha: await repository.git("rev-parse", "main") };
    const first = await trigger(url, body);
    await ended(first);
    const second = await trigger(url, {
      branch: "main",
      commitSha: await repository.commit("main", page("two")),
    });
    await ended(second);
    await until(async () => !(await idsOf(platform)).includes(first.json.id));
    assert.equal((await api("GET", `/v1/builds/${first.json.id}`)).status, 404);
    const again = await trigger(url, body);
    assert.notEqual(again.json.id, first.json.id);
    assert.equal((await ended(again)).status, "LIVE");
  }, { retention: { keepDeployments: 1, keepDays: 0 }, housekeepingMs: HOUSEKEEPING_MS }));

Deno.test("a build log that a crash has left without its deployment is removed", () =>
  withHooks(async (platform) => {
    const { api, dataDir, hook, trigger, ended, repository } = platform;
    const { url } = await hook();
    const kept = await trigger(url, {
      branch: "main",
      commitSha: await repository.git("rev-parse", "main"),
    });
    await ended(kept);
    const { json: { items: [project] } } = await api("GET", "/v1/projects");
    const folder = `${dataDir}/build_logs/${project.id}`;
    const [orphan, log] = ["019a0000-0000-7000-8000-000000000001", kept.json.id]
      .map((id) => `${folder}/${id}.ndjson`);
    await Deno.mkdir(folder, { recursive: true });
    for (const path of [log!, orphan!]) await Deno.writeTextFile(path, "{}\n");
    const isThere = (path: string) => Deno.stat(path).then(() => true, () => false);
    await until(async () => !await isThere(orphan!));
    await until(() => platform.logged.some((line) => /1 build log\b/.test(line)));
    assert.ok(await isThere(log!));
  }, { housekeepingMs: HOUSEKEEPING_MS }));

Deno.test("only previews of deleted branches are stopped", () =>
  withHooks(async (platform) => {
    const { hook, trigger, ended, shows, repository, get } = platform;
    const main = await repository.git("rev-parse", "main");
    const gone = await repository.commit("gone", page("gone"));
    await repository.git("checkout", "--quiet", "main");
    const stays = await repository.commit("stays", page("stays"));
    const { url } = await hook();
    const production = await trigger(url, { branch: "main", commitSha: main });
    const preview = await trigger(url, { branch: "gone", commitSha: gone });
    const other = await trigger(url, { branch: "stays", commitSha: stays });
    for (const answer of [production, preview, other]) await ended(answer);
    await shows(hostOf(preview.json.url), `<p>gone ${gone}</p>`);
    await shows(hostOf(other.json.url), `<p>stays ${stays}</p>`);
    const upload = await deploy(platform, "shop", {
      files: page("u"),
      prod: false,
      branch: "gone",
    });
    await repository.git("checkout", "--quiet", "main");
    await repository.git("branch", "-D", "gone");
    await until(
      async () => (await get(hostOf(preview.json.url), "/")).status === 404,
    );
    assert.equal((await get(hostOf(other.json.url), "/")).status, 200);
    assert.equal((await get(hostOf(production.json.url), "/")).status, 200);
    assert.equal(
      (await get(hostOf(upload.url), "/")).status,
      200,
      "uploads are kept because they have no git branch",
    );
  }, { housekeepingMs: HOUSEKEEPING_MS }));
