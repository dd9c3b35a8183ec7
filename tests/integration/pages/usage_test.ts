/**
 * The API, the CLI and the pages must show the same usage and limits for workspaces and projects.
 */
import assert from "node:assert/strict";
import { callTool, cleanEnvironment } from "../../../scripts/_program.ts";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { withDashboard } from "../../helpers/dashboard.ts";
import { deploy } from "../../helpers/platform.ts";

type Item = Readonly<{ subject: string; of: string | null; used: number; limit: number | null }>;

const row = (items: readonly Item[], subject: string) => {
  const { used, limit } = items.find((item) => item.subject === subject)!;
  return [used, limit];
};

Deno.test("the API, the pages and the CLI show usage with its limits", async () => {
  const home = await makeTestFolder("svc-usage-");
  try {
    await withDashboard(async ({ api, own, ada, viewer, stranger, platform }) => {
      for (const name of ["shop", "other"]) await api("POST", "/v1/projects", { name });
      const at = "/v1/projects/shop";
      await deploy(own, "shop", { files: { "index.html": "one" } });
      await api("PUT", `${at}/variables/A`, { value: "1", category: "plain", scope: "all" });
      await api("POST", `${at}/environments`, { name: "stage" });
      await api("POST", `${at}/domains`, { hostname: "shop.example", environment: "production" });
      const { items: before } = (await api("GET", "/v1/usage")).json;
      const [none, most] = row(before, "webhooks") as [number, number];
      assert.equal(none, 0);
      const webhook = (n: number) => ({ url: `https://hooks.example/${n}` });
      for (let n = 0; n < most; n++) await api("POST", "/v1/webhooks", webhook(n));
      await api("POST", "/v1/webhooks", webhook(most), 409);

      const { items } = (await api("GET", `${at}/usage`)).json;
      assert.deepEqual(row(items, "deployHooks"), [0, 100]);
      assert.deepEqual(row(items, "variables"), [1, 500]);
      assert.deepEqual(row(items, "domains"), [2, 200], "a domain and its www host count as two");
      assert.deepEqual(row(items, "environments"), [1, null]);
      assert.deepEqual(row(items, "deployments"), [1, null]);
      assert.deepEqual(row(items, "databases"), [0, 10]);
      const { items: others } = (await api("GET", "/v1/projects/other/usage")).json;
      assert.ok(others.every(({ used }: Item) => used === 0), JSON.stringify(others));

      const { items: whole } = (await api("GET", "/v1/usage")).json;
      assert.deepEqual(row(whole, "projects"), [2, null]);
      assert.deepEqual(row(whole, "members"), [2, null]);
      assert.deepEqual(row(whole, "apiKeys"), [1, null]);
      assert.deepEqual(row(whole, "webhooks"), [most, most]);

      const shown = await viewer.open("/workspaces/acme/projects/shop/usage");
      assert.match(shown.html, /Domains<\/span><span class="num">2 of 200</);
      const { html } = await ada.open("/workspaces/acme/usage");
      assert.match(html, /Projects<\/span><span class="num">2 \(unlimited\)</);
      assert.match(html, /Webhooks<\/span><span class="num">20 of 20</);
      for (const path of ["/workspaces/acme/usage", "/workspaces/acme/projects/shop/usage"]) {
        assert.equal((await stranger.open(path)).status, 404);
      }

      const { json: { key } } = await api("POST", "/v1/api-keys", { name: "tool", role: "viewer" });
      const env = {
        ...cleanEnvironment(home),
        SVC_API_URL: `http://127.0.0.1:${platform.port}`,
        SVC_TOKEN: key,
        NO_COLOR: "1",
      };
      const said = await callTool(["usage", "--project-id", "shop"], { cwd: home, env });
      assert.match(said.stdout, /domains +2 +200/, said.stderr);
      const all = await callTool(["usage", "--json"], { cwd: home, env });
      assert.deepEqual(row(JSON.parse(all.stdout).usage, "apiKeys"), [2, null]);
    });
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
