/**
 * Compares two deployments, and redeploys one of them, with the API and on a deployment's pages.
 */
import assert from "node:assert/strict";
import { withDashboard } from "../../helpers/dashboard.ts";
import { formsOf } from "../../helpers/page_visitor.ts";
import { deploy } from "../../helpers/platform.ts";

const rules = (...ids: readonly string[]) => ({
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: ids.map((id) => ({
    id,
    condition: { path: { type: "prefix", value: `/${id}` } },
    action: { type: "log" },
  })),
});

Deno.test("a comparison names the files, routes, rules and variables that differ, but no values", () =>
  withDashboard(async ({ api, own, ada, viewer, stranger }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    await api("POST", "/v1/projects", { name: "other" });
    const variable = (key: string, value: string) =>
      api("PUT", `/v1/projects/shop/variables/${key}`, {
        value,
        category: "secret",
        scope: "all",
      });
    await variable("KEPT", "s3cret-kept");
    await variable("TURNED", "s3cret-before");
    const first = await deploy(own, "shop", {
      files: { "index.html": "one", "same.html": "same", "old.html": "old" },
      rules: rules("a", "b", "gone"),
    });
    const alone = await api("GET", `/v1/deployments/${first.id}/comparison`, undefined, 409);
    assert.match(alone.json.error, /Choose a deployment to compare with/);
    assert.match(
      (await ada.open(`/deployments/${first.id}/compare`)).html,
      /Choose a deployment to compare with/,
    );

    await variable("TURNED", "s3cret-after");
    await variable("FRESH", "s3cret-fresh");
    const second = await deploy(own, "shop", {
      files: { "index.html": "two!", "same.html": "same", "new.html": "n" },
      rules: rules("b", "a", "come"),
    });
    const { json } = await api("GET", `/v1/deployments/${second.id}/comparison`);
    assert.equal(json.base.id, first.id);
    assert.deepEqual(json.files, {
      added: 1,
      removed: 1,
      changed: 1,
      items: [
        { name: "index.html", change: "changed", before: "3 bytes", after: "4 bytes" },
        { name: "new.html", change: "added", before: null, after: "1 byte" },
        { name: "old.html", change: "removed", before: "3 bytes", after: null },
      ],
    });
    const named = ({ items }: { items: { name: string; change: string }[] }) =>
      items.map(({ name, change }) => `${change} ${name}`);
    assert.deepEqual(named(json.rules), ["added come", "removed gone"]);
    assert.equal(json.rulesReordered, true);
    assert.deepEqual(named(json.variables), ["added FRESH", "changed TURNED"]);
    assert.equal(json.routes.items.length, 0);
    assert.ok(!JSON.stringify(json).includes("s3cret"));

    const page = await viewer.open(`/deployments/${second.id}/compare`);
    assert.match(page.html, /1 added, 1 removed, 1 changed/);
    assert.match(page.html, /3 bytes → 4 bytes/);
    assert.match(page.html, /in a different order/);
    assert.ok(!page.html.includes("s3cret"));
    assert.equal((await stranger.open(`/deployments/${second.id}/compare`)).status, 404);

    const backwards = await ada.open(`/deployments/${first.id}/compare?base=${second.id}`);
    assert.match(backwards.html, /4 bytes → 3 bytes/);
    const foreign = await deploy(own, "other", { files: { "index.html": "x" } });
    const at = `/v1/deployments/${second.id}/comparison?base=${foreign.id}`;
    assert.match((await api("GET", at, undefined, 409)).json.error, /another project/);
  }));

Deno.test("a redeployment serves the same files with the current variables", () =>
  withDashboard(async ({ api, own, ada, viewer, platform }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    const first = await deploy(own, "shop", { files: { "index.html": "one" }, message: "First" });
    await api("PUT", "/v1/projects/shop/variables/LATE", {
      value: "x",
      category: "plain",
      scope: "all",
    });
    const second = await deploy(own, "shop", { files: { "index.html": "two" } });
    const shows = async () =>
      new TextDecoder().decode((await platform.get("shop.localhost", "/")).body);
    assert.equal(await shows(), "two");

    const page = await ada.open(`/deployments/${first.id}`);
    const again = await ada.confirm(page, `/deployments/${first.id}/redeploy`);
    assert.match(again.html, /Redeployed the same files with the current variables/);
    assert.match(again.html, /Redeploy of/);
    const [, id] = /^\/deployments\/([^?]+)/.exec(again.path)!;
    assert.ok(id !== first.id && id !== second.id);
    assert.equal(await shows(), "one");
    const { json } = await api("GET", `/v1/deployments/${id}/comparison?base=${first.id}`);
    assert.deepEqual(json.variables.items.map(({ name }: { name: string }) => name), ["LATE"]);
    assert.deepEqual([json.files.items, json.deployment.message], [[], "First"]);
    assert.equal(json.deployment.variablesChanged, false);

    const seen = await viewer.open(`/deployments/${first.id}`);
    assert.ok(!formsOf(seen.html).some(({ action }) => action.endsWith("/redeploy")));
    const { csrf = "" } = formsOf(seen.html)[0]!.fields;
    const tried = await viewer.send("POST", `/deployments/${first.id}/redeploy`, {
      fields: { csrf },
    });
    assert.equal(tried.status, 403);
    const stopped = await api("POST", `/v1/deployments/${second.id}/stop`, {});
    assert.equal(stopped.json.status, "STOPPED");
    await api("POST", `/v1/deployments/${second.id}/redeploy`, undefined, 201);
    assert.equal(await shows(), "two");
  }));
