import assert from "node:assert/strict";
import { createProject, deploy, withPlatform } from "../../helpers/platform.ts";

/** Header with the ID of the deployment that responds. */
const SHOWN = "x-svc-deployment";

const site = (text: string) => ({ "index.html": `<p>${text}</p>` });

Deno.test("a preview is promoted without another upload and can be rolled back", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const first = await deploy(platform, "shop", { files: site("one") });
    const preview = await deploy(platform, "shop", {
      files: site("two"),
      prod: false,
      branch: "feature",
    });
    const promoted = await platform.api("POST", `/v1/deployments/${preview.id}/promote`);
    assert.equal(promoted.status, 200, JSON.stringify(promoted.json));
    assert.notEqual(promoted.json.id, preview.id);
    const { isProduction, environment, branch } = promoted.json;
    assert.deepEqual([isProduction, environment, branch], [true, "production", "feature"]);
    assert.equal((await platform.get("shop.localhost", "/")).text, "<p>two</p>");
    assert.equal((await platform.get(new URL(preview.url).hostname, "/")).text, "<p>two</p>");

    const back = await platform.api("POST", "/v1/projects/shop/rollback", { json: {} });
    assert.equal(back.json.deployment.id, first.id);
    assert.equal((await platform.get("shop.localhost", "/")).text, "<p>one</p>");
  }));

Deno.test("an earlier deployment is promoted unchanged, and promoting the live one has no effect", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const first = await deploy(platform, "shop", { files: site("one") });
    await deploy(platform, "shop", { files: site("two") });
    for (let time = 0; time < 2; time++) {
      const promoted = await platform.api("POST", `/v1/deployments/${first.id}/promote`);
      assert.deepEqual([promoted.status, promoted.json.id], [200, first.id]);
    }
    assert.equal((await platform.get("shop.localhost", "/")).text, "<p>one</p>");
  }));

Deno.test("promoting a preview again, or twice at the same time, changes nothing", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const preview = await deploy(platform, "shop", { files: site("two"), prod: false });
    const promote = () => platform.api("POST", `/v1/deployments/${preview.id}/promote`);
    const count = async () =>
      (await platform.api("GET", "/v1/projects/shop/deployments")).json.items.length;
    const both = await Promise.all([promote(), promote()]);
    assert.deepEqual(both.map(({ status }) => status), [200, 200]);
    assert.deepEqual([both[0]!.json.id === both[1]!.json.id, await count()], [true, 2]);
    assert.deepEqual([(await promote()).json.id, await count()], [both[0]!.json.id, 2]);
    const variable = { value: "new", category: "plain", scope: "production" };
    await platform.api("PUT", "/v1/projects/shop/variables/NAME", { json: variable });
    const renewed = await promote();
    assert.deepEqual([renewed.json.variablesChanged, await count()], [false, 3]);
  }));

Deno.test("a promoted preview's branch host still serves the preview", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const options = { prod: false, branch: "feature" };
    const preview = await deploy(platform, "shop", { files: site("two"), ...options });
    const branch = new URL(preview.urls.branch).hostname;
    const promoted = await platform.api("POST", `/v1/deployments/${preview.id}/promote`);
    const shownBy = async (host: string) => (await platform.get(host, "/")).headers[SHOWN];
    assert.equal(await shownBy(branch), preview.id);
    assert.equal(await shownBy("shop.localhost"), promoted.json.id);
    const next = await deploy(platform, "shop", { files: site("three"), ...options });
    assert.equal(await shownBy(branch), next.id);
    assert.equal(await shownBy("shop.localhost"), promoted.json.id);
  }));

Deno.test("a promoted deployment keeps the preview's rules", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const rules = {
      schemaVersion: "EDGE_RULE_SET_V1",
      rules: [{
        id: "away",
        condition: { path: { type: "exact", value: "/old" } },
        action: { type: "redirect", target: "/new" },
      }],
    };
    const preview = await deploy(platform, "shop", { files: site("two"), prod: false, rules });
    const { status } = await platform.api("POST", `/v1/deployments/${preview.id}/promote`);
    assert.equal(status, 200);
    assert.equal((await platform.get("shop.localhost", "/old")).headers.location, "/new");
  }));

Deno.test("stopped and unknown deployments cannot be promoted", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const preview = await deploy(platform, "shop", { files: site("two"), prod: false });
    await platform.api("POST", `/v1/deployments/${preview.id}/stop`, { json: {} });
    const refused = await platform.api("POST", `/v1/deployments/${preview.id}/promote`);
    assert.equal(refused.status, 409);
    assert.match(refused.json.error, /is STOPPED/);
    const path = "/v1/deployments/0199e2e8-5f0f-7e11-8a33-0242ac120002/promote";
    assert.equal((await platform.api("POST", path)).status, 404);
  }));
