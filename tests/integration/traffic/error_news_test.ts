/**
 * A new site error must appear in the inbox, in the CLI and on pages until the project is deleted.
 * Pages must escape the error's markup.
 */
import assert from "node:assert/strict";
import { callTool, cleanEnvironment } from "../../../scripts/_program.ts";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { withDashboard } from "../../helpers/dashboard.ts";
import { failSites, MARKUP } from "../../helpers/failing_sites.ts";
import { DenoStore } from "../../../src/store/mod.ts";

const ESCAPED = "&quot;&gt;&lt;script&gt;document.title=";

Deno.test("a new error appears in the inbox, CLI and pages, and is deleted with its project", async () => {
  const home = await makeTestFolder("svc-errors-");
  try {
    await withDashboard(async (parts) => {
      const { ada, api, platform } = parts;
      const { shop, ferry } = await failSites(parts);

      const inbox = await until(
        () => ada.open("/notifications"),
        ({ html }) => ["shop", "ferry"].every((name) => html.includes(`>New error in ${name}</a>`)),
      );
      assert.ok(inbox.html.includes(ESCAPED) && !inbox.html.includes(MARKUP));
      assert.ok(inbox.html.includes(`/deployments/${shop.deployment}/errors/${shop.error}`));
      const opened = await ada.open(`/deployments/${shop.deployment}/errors/${shop.error}`);
      assert.match(opened.html, /at fail \(functions\/tides\.ts:5:\d+\)/);

      for (const [name, { deployment, error }] of Object.entries({ shop, ferry })) {
        const at = `/workspaces/acme/projects/${name}/errors`;
        for (const path of [at, `${at}/${error}`]) {
          const { html } = await ada.open(path);
          assert.ok(html.includes(ESCAPED), path);
          assert.ok(!/<img|<script>|onerror="taken/.test(html), path);
        }
        assert.ok((await ada.open(`${at}/${error}`)).html.includes(`/deployments/${deployment}`));
      }

      const { json: { key } } = await api("POST", "/v1/api-keys", { name: "tool", role: "viewer" });
      const env = {
        ...cleanEnvironment(home),
        SVC_API_URL: `http://127.0.0.1:${platform.port}`,
        SVC_TOKEN: key,
        NO_COLOR: "1",
      };
      const tool = async (...args: string[]) => {
        const all = [...args, "--project-id", "shop"];
        const { code, stdout, stderr } = await callTool(all, { cwd: home, env });
        assert.equal(code, 0, stderr);
        return stdout;
      };
      assert.match(await tool("errors", "list"), /TideError: No tide for/);
      const shown = await tool("errors", "show", shop.error);
      assert.match(shown, /at fail \(functions\/tides\.ts:5:\d+\)/);
      assert.ok(shown.includes(shop.deployment));

      const id = (await api("GET", "/v1/projects/shop")).json.id;
      await api("DELETE", "/v1/projects/shop");
      await platform.shutdown();
      const kv = await DenoStore.open(`${platform.dataDir}/kv.sqlite3`);
      try {
        const left = await Array.fromAsync(kv.list({ prefix: ["errors"] }), ({ key }) => key[1]);
        assert.equal(left.length, 1);
        assert.notEqual(left[0], id);
      } finally {
        kv.close();
      }
    });
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
