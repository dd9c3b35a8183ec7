/** Uses the rules editor without JavaScript. */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { withDashboard } from "../../helpers/dashboard.ts";
import { formsOf, type Page } from "../../helpers/page_visitor.ts";
import { deploy } from "../../helpers/platform.ts";

const AT = "/workspaces/acme/projects/shop/rules";
const HEAD = 'schemaVersion = "EDGE_RULE_SET_V1"\n';

const rule = (id: string, path: string, action: string) =>
  `${HEAD}\n[[rules]]\nid = "${id}"\ncondition.path = { type = "prefix", value = "${path}" }\n` +
  `action = ${action}\n`;
const CLOSED = rule("closed", "/admin", '{ type = "deny", statusCode = 403 }');
const MOVED = rule("moved", "/blog", '{ type = "redirect", target = "/news", statusCode = 301 }');

const textIn = ({ html }: Page): string =>
  /<textarea id="toml"[^>]*>\n([^]*?)<\/textarea>/.exec(html)?.[1]?.replaceAll("&quot;", '"') ?? "";

Deno.test("the rules page checks, tests, publishes, compares and restores rules", () =>
  withDashboard(async ({ ada, viewer, api, own, platform }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    await deploy(own, "shop", { files: { "index.html": "one", "admin/a.html": "two" } });
    const agent = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" };
    for (const path of ["/admin/a", "/admin/b", "/blog/tides", "/"]) {
      await platform.get("shop.localhost", path, agent);
    }
    await until(
      async () => (await api("GET", "/v1/projects/shop/logs")).json.items.length,
      (count) => count === 4,
    );
    const send = (page: Page, act: string, toml: string, more: Record<string, string> = {}) => {
      const { fields } = formsOf(page.html).find(({ action }) => action === `${AT}/check`)!;
      const { csrf = "", etag = "" } = fields;
      return ada.send("POST", `${AT}/${act}`, {
        fields: { csrf, etag, toml: toml.replaceAll("\n", "\r\n"), ...more },
      });
    };
    const confirmed = { confirmed: "yes" };
    const first = await ada.open(AT);
    assert.match(first.html, /Production has no rules yet\./);
    assert.match(textIn(first), /^schemaVersion = "EDGE_RULE_SET_V1"\n# [^]*\nrules = \[\]/);

    // Problems are shown next to their lines, and the text is kept.
    const wrong = CLOSED.replace('"deny"', '"denny"').replace("closed", "cl<sed");
    const checked = await send(first, "check", wrong);
    assert.equal(checked.status, 200);
    assert.match(checked.html, /<span class="error">6\n<\/span>/);
    assert.match(checked.html, /Line 6, column \d+/);
    assert.match(textIn(checked), /cl&lt;sed/);
    for (const act of ["try", "publish"]) {
      const refused = await send(first, act, wrong);
      assert.equal(refused.status, 400, act);
      assert.match(refused.html, /Correct the errors to/);
    }

    const tried = await send(first, "try", CLOSED);
    assert.match(tried.html, /2 of the last 4 requests to production would get a different/);
    assert.match(tried.html, /2 requests<\/span>[^]*?GET \/admin\/[ab], GET \/admin\/[ab]/);
    assert.match(tried.html, /<ins>Responds with 403 \(rule &quot;closed&quot;\)<\/ins>/);
    assert.equal((await platform.get("shop.localhost", "/admin/a")).status, 200);

    const asked = await send(first, "publish", CLOSED);
    assert.match(asked.html, /Publish these rules to production for shop\?/);
    assert.match(asked.html, /<dt>Added<\/dt><dd>1 rule<\/dd>/);
    assert.match(asked.html, /enctype="multipart\/form-data"/i);
    assert.equal((await platform.get("shop.localhost", "/admin/a")).status, 200);
    const published = await send(first, "publish", CLOSED, confirmed);
    assert.equal(published.headers.get("location"), `${AT}?done=rules-published`);
    assert.equal((await platform.get("shop.localhost", "/admin/a")).status, 403);
    const second = await ada.open(AT);
    assert.match(textIn(second), /id = "closed"/);
    const none = await send(second, "try", CLOSED.replace('"closed"', '"shut"'));
    assert.match(none.html, /None of the last \d requests/);

    // The first page is outdated, so nothing is published, and both versions are shown.
    const stale = await send(first, "publish", MOVED);
    assert.equal(stale.status, 412);
    assert.match(textIn(stale), /id = "moved"/);
    assert.match(stale.html, /<span class="removed">- id = &quot;closed&quot;\n<\/span>/);
    assert.match(stale.html, /<span class="added">\+ id = &quot;moved&quot;\n<\/span>/);
    assert.equal((await platform.get("shop.localhost", "/blog/tides")).status, 404);
    const again = await send(stale, "publish", MOVED, confirmed);
    assert.equal(again.status, 303);
    assert.equal((await platform.get("shop.localhost", "/blog/tides")).status, 301);

    const list = await ada.open(AT);
    const [, compare = ""] = /href="([^"]*\?revision=[^"#]*)#compared"/.exec(list.html) ?? [];
    const compared = await ada.open(compare);
    assert.match(compared.html, /<span class="added">\+ id = &quot;closed&quot;/);
    const restored = await ada.confirm(compared, `${AT}/restore`);
    assert.match(restored.html, /Rules restored\./);
    assert.equal((await platform.get("shop.localhost", "/blog/tides")).status, 404);
    assert.equal((await ada.submit(compared, `${AT}/restore`)).status, 412);
    const removed = await ada.confirm(restored, `${AT}/remove`);
    assert.match(removed.html, /Production uses the deployment&#39;s own rules again\./);
    assert.equal((await platform.get("shop.localhost", "/admin/a")).status, 200);

    const seen = await viewer.open(AT);
    assert.doesNotMatch(seen.html, /Publish to production|Restore|Remove/);
    const { fields: { csrf = "", etag = "" } } = formsOf(seen.html).find(({ action }) =>
      action === `${AT}/check`
    )!;
    const fields = { csrf, etag, toml: CLOSED };
    assert.equal((await viewer.send("POST", `${AT}/publish`, { fields })).status, 403);
    const actions = (await api("GET", "/v1/audit?project=shop")).json.items
      .map(({ action }: { action: string }) => action);
    for (const action of ["putRules", "restoreRules", "deleteRules"]) {
      assert.ok(actions.includes(action), action);
    }
  }));
