/** What workspaces and projects use of their limits: API, tool and pages agree, each for its own. */
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

Deno.test("usage is counted where a limit holds, and says what is refused beyond it", async () => {
  const home = await makeTestFolder("svc-usage-");
  try {
    await withDashboard(async ({ api, own, ada, viewer, stranger, platform }) => {
      for (const name of ["shop", "other"]) await api("POST", "/v1/projects", { name });
      const at = "/v1/projects/shop";
      await deploy(own, "shop", { files: { "index.html": "one" } });
      await api("PUT", `${at}/variables/A`, { value: "1", category: "plain", scope: "all" });
      await api("POST", `${at}/environments`, { name: "stage" });
      await api("POST", `${at}/domains`, { hostname: "shop.example", environment: "production" });
      const hook = { projectId: "shop", branch: "main", scope: "All" };
      const { items: before } = (await api("GET", `${at}/usage`)).json;
      const [none, most] = row(before, "deployHooks") as [number, number];
      assert.equal(none, 0);
      for (let n = 0; n < most; n++) {
        await api("POST", "/v1/deploy-hooks", { ...hook, name: `h${n}` });
      }
      await api("POST", "/v1/deploy-hooks", { ...hook, name: "beyond" }, 409);

      const { items } = (await api("GET", `${at}/usage`)).json;
      assert.deepEqual(row(items, "deployHooks"), [most, most]);
      assert.deepEqual(row(items, "variables"), [1, 500]);
      assert.deepEqual(row(items, "domains"), [2, 200], "the name and its www");
      assert.deepEqual(row(items, "environments"), [1, null]);
      assert.deepEqual(row(items, "deployments"), [1, null]);
      assert.deepEqual(row(items, "databases"), [0, 10]);
      const { items: others } = (await api("GET", "/v1/projects/other/usage")).json;
      assert.ok(others.every(({ used }: Item) => used === 0), JSON.stringify(others));

      const { items: whole } = (await api("GET", "/v1/usage")).json;
      assert.deepEqual(row(whole, "projects"), [2, null]);
      assert.deepEqual(row(whole, "members"), [2, null]);
      assert.deepEqual(row(whole, "apiKeys"), [1, null]);
      assert.deepEqual(row(whole, "webhooks"), [0, 20]);

      const shown = await viewer.open("/workspaces/acme/projects/shop/usage");
      assert.match(shown.html, /Deploy hooks<\/span><span class="num">100 of 100</);
      assert.match((await ada.open("/workspaces/acme/usage")).html, />2, no limit</);
      for (const path of ["/workspaces/acme/usage", "/workspaces/acme/projects/shop/usage"]) {
        assert.equal((await stranger.open(path)).status, 404);
      }

      const { json: { key } } = await api("POST", "/v1/api-keys", { name: "tool", role: "viewer" });
      const env = {
        ...cleanEnvironment(home),
        ...{ SVC_API_URL: `http://127.0.0.1:${platform.port}`, SVC_TOKEN: key, NO_COLOR: "1" },
      };
      const said = await callTool(["usage", "--project-id", "shop"], { cwd: home, env });
      assert.match(said.stdout, /deployHooks +100 +100/, said.stderr);
      const all = await callTool(["usage", "--json"], { cwd: home, env });
      assert.deepEqual(row(JSON.parse(all.stdout).usage, "apiKeys"), [2, null]);
    });
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
