/** Uses the pages for background work without JavaScript. */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { deployServer, LAYERS } from "../../helpers/compute_site.ts";
import { withDashboard } from "../../helpers/dashboard.ts";
import { formsOf, type Page } from "../../helpers/page_visitor.ts";
import { deploy } from "../../helpers/platform.ts";

const SHOP = "/workspaces/acme/projects/shop";

const SERVER = `
import { createServer } from "node:http";
createServer((request, response) => {
  if (request.url.startsWith("/api/fails")) response.statusCode = 503;
  response.end("done");
}).listen(Number(process.env.PORT), process.env.HOST);
`;

Deno.test("the cron page runs a task, shows its runs' results, and links to their logs", () =>
  withDashboard(async ({ ada, viewer, api, own }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    await deployServer(own, "shop", {
      server: SERVER,
      manifest: {
        version: 1,
        layers: LAYERS,
        routes: [{ pattern: "^/.*$", layer: "app" }],
        cron: [
          { path: "/api/tidy", schedule: "0 9 * * mon-fri", timezone: "Europe/Berlin" },
          { path: "/api/fails", schedule: "30 4 1 1 *" },
        ],
      },
    });
    const before = await ada.open(`${SHOP}/cron`);
    assert.match(before.html, /at 09:00 on Monday to Friday/);
    assert.match(before.html, /at 04:30 on day 1 of the month in January/);
    assert.match(before.html, /Not run yet/);

    const [tidy, fails] = formsOf(before.html).filter(({ action }) =>
      action === `${SHOP}/cron/run`
    );
    const good = await ada.send("POST", tidy!.action, { fields: tidy!.fields });
    assert.equal(good.headers.get("location"), `${SHOP}/cron?done=task-succeeded`);
    const bad = await ada.send("POST", fails!.action, { fields: fails!.fields });
    assert.equal(bad.status, 409);
    assert.match(bad.html, /role="alert">\/api\/fails failed: status 503 in \d+ (?:ms|s)</);

    const after = await ada.open(`${SHOP}/cron`);
    assert.match(after.html, /<h2 id="runs-title">Recent runs<\/h2>/);
    assert.match(after.html, /status 200 in [^<]*<\/span><span>[^]*?, on request/);
    const [, log = ""] = /href="([^"]*\/logs\?search=cron-[0-9a-f]+)">Log</.exec(after.html) ?? [];
    assert.match((await ada.open(log)).html, /\/api\/(?:tidy|fails)/);

    const { json } = await api("GET", "/v1/audit?action=runCronTask");
    assert.deepEqual(
      json.items.map(({ target, user }: { target: { name: string }; user: { name: string } }) => [
        target.name,
        user.name,
      ]),
      [["/api/fails", "ada"], ["/api/tidy", "ada"]],
    );

    const seen = await viewer.open(`${SHOP}/cron`);
    assert.doesNotMatch(seen.html, /Run now/);
    const { csrf = "" } = formsOf((await viewer.open("/account")).html)[0]!.fields;
    const refused = await viewer.send("POST", `${SHOP}/cron/run`, {
      fields: { csrf, path: "/api/tidy" },
    });
    assert.equal(refused.status, 403);
  }));

Deno.test("the environments page shows, sets and deletes variables, accepts pasted files, and redeploys", () =>
  withDashboard(async ({ ada, viewer, api, own }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    await deploy(own, "shop", { files: { "index.html": "one" } });
    const at = `${SHOP}/environments`;
    const made = await ada.submit(await ada.open(at), at, { name: "stage" });
    assert.match(made.html, /Environment created\./);
    assert.match(made.html, /Variables in stage/);
    await deploy(own, "shop", { files: { "index.html": "two" }, environment: "stage" });
    const twice = await ada.submit(await ada.open(at), at, { name: "stage" });
    assert.equal(twice.status, 409);

    const set = (page: Page, typed: Record<string, string>) =>
      ada.submit(page, `${at}/set`, {
        category: "plain",
        scope: "stage",
        changeCategory: "",
        ...typed,
      });
    const stage = await ada.open(`${at}?environment=stage`);
    assert.doesNotMatch(stage.html, /Redeploy now to apply/);
    const changed = await set(stage, { key: "MODE", value: "fast\r\nlane" });
    assert.match(changed.html, /MODE<\/span><span class="mono soft">fast\nlane</);
    assert.match(changed.html, /Redeploy now to apply<span class="hush"> them to \S+ in stage/);
    await set(changed, { key: "TOKEN", value: "s3cret-value", category: "secret", scope: "all" });
    const edit = await ada.open(`${at}?environment=stage&edit=MODE`);
    assert.match(edit.html, /Change MODE[^]*<textarea id="value"[^>]*>fast\nlane</);
    const secret = await ada.open(`${at}?environment=production&edit=TOKEN`);
    assert.doesNotMatch(secret.html, /s3cret/);
    const other = await set(secret, { key: "TOKEN", value: "typed-secret", scope: "all" });
    assert.equal(other.status, 409);
    assert.doesNotMatch(other.html, /typed-secret/);

    const paste = (act: string, dotenv: string) =>
      ada.submit(edit, `${at}/paste#paste`, { act, dotenv, category: "plain", scope: "stage" });
    const list = async () =>
      (await api("GET", "/v1/projects/shop/variables?environment=stage")).json.items.map((
        { key, value, scope }: Record<string, string>,
      ) => `${key} ${value} ${scope}`);
    const kept = ["MODE fast\nlane stage", "TOKEN null all"];
    const preview = await paste("preview", "MODE=slow\r\n# more\r\nexport PORT='80 81'\r\n");
    assert.match(preview.html, /This will set 2 variables:/);
    assert.match(preview.html, /MODE<\/span> <span class="tag">changed</);
    assert.match(preview.html, /PORT<\/span> <span class="tag">new</);
    assert.deepEqual(await list(), kept);
    const wrong = await paste("set", "PORT=80\r\nwords\r\n9LIVES=cat");
    assert.equal(wrong.status, 400);
    assert.match(wrong.html, /<li>Line 2 is not an assignment: write NAME=value<\/li>/);
    assert.match(wrong.html, /<li>Line 3: Must be letters/);
    assert.deepEqual(await list(), kept);
    const clash = await paste("set", "PORT=80\nTOKEN=plain");
    assert.equal(clash.status, 409);
    assert.match(clash.html, /Set 1 of 2 variables/);
    const done = await paste("set", "MODE=slow\r\nPORT='80 81'");
    assert.match(done.html, /Variables set\./);
    assert.deepEqual(await list(), ["MODE slow stage", "PORT 80 81 stage", "TOKEN null all"]);

    // The redeployment has the variables, and a variable is deleted from the chosen scope only.
    const redeploys = formsOf(done.html).filter(({ action }) => action.endsWith("/redeploy"));
    assert.equal(redeploys.length, 2, "a change to TOKEN affects production, too");
    for (const { action } of redeploys) {
      const answer = await ada.submit(done, action);
      const isAsked = answer.html.includes('id="question"');
      assert.match((isAsked ? await ada.submit(answer, action) : answer).html, /Redeployed/);
    }
    assert.doesNotMatch((await ada.open(`${at}?environment=stage`)).html, /Redeploy now to apply/);
    await api("PUT", "/v1/projects/shop/variables/PORT", {
      value: "90",
      category: "plain",
      scope: "production",
    });
    const { fields: { csrf = "" } } = formsOf(done.html)[0]!;
    const fields = {
      csrf,
      environment: "stage",
      key: "PORT",
      scope: "stage",
      confirmed: "yes",
    };
    const removed = await ada.send("POST", `${at}/remove`, { fields });
    assert.equal(
      removed.headers.get("location"),
      `${at}?environment=stage&done=variable-removed`,
    );
    assert.equal((await ada.send("POST", `${at}/remove`, { fields })).status, 404);
    const left =
      (await api("GET", "/v1/projects/shop/variables?environment=production")).json.items;
    assert.deepEqual(left.map(({ key }: { key: string }) => key), ["PORT", "TOKEN"]);

    const gone = await ada.confirm(await ada.open(at), `${at}/delete`);
    assert.match(gone.html, /Environment deleted\./);
    const seen = await viewer.open(at);
    assert.doesNotMatch(seen.html, /Delete|Remove|Set variable|Set all/);
  }));

Deno.test("the webhook pages add, test, replay, rotate and delete, and mask secrets in responses", () =>
  withDashboard(async ({ ada, viewer, api, own }) => {
    const received: string[] = [];
    let echoed = "";
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        received.push(request.headers.get("webhook-id") ?? "");
        await request.text();
        return new Response(`told ${echoed}`, { status: received.length === 1 ? 400 : 200 });
      },
    );
    const at = "/workspaces/acme/webhooks";
    const url = `http://127.0.0.1:${server.addr.port}/hook`;
    const refused = await ada.submit(await ada.open(at), at, { url: "http://user:pw@127.0.0.1/" });
    assert.equal(refused.status, 400);
    const made = await ada.submit(await ada.open(at), at, { url, categories: ["Deployment"] });
    [echoed = ""] = /whsec_[A-Za-z0-9+/=]+/.exec(made.html) ?? [];
    assert.match(echoed, /^whsec_/);
    assert.match(made.html, /Receives all Deployment events\./);
    const { json: { items: [{ id }] } } = await api("GET", "/v1/webhooks");
    const one = `${at}/${id}`;

    const tested = await ada.submit(await ada.open(one), `${one}/test#test`, {
      event: "deployment.failed",
    });
    assert.match(tested.html, /Not delivered in \d+ ms: The receiver responded with status 400/);
    assert.match(tested.html, /<pre class="terminal" tabindex="0">told •••<\/pre>/);

    await api("POST", "/v1/projects", { name: "shop" });
    await deploy(own, "shop", { files: { "index.html": "one" } });
    const page = await until(
      () => ada.open(one),
      ({ html }) => html.includes("Delivered</span>") && html.includes("deployment.live&quot;"),
    );
    assert.match(page.html, /told •••/);
    assert.match(page.html, /&quot;type&quot;: &quot;deployment\.live&quot;/);
    assert.ok(!page.html.includes(echoed));
    const count = received.length;
    const replayed = await ada.submit(page, `${one}/replay`);
    assert.match(replayed.html, /Queued the delivery again/);
    await until(() => received, ({ length }) => length > count);
    assert.ok(
      received.slice(0, count).includes(received.at(-1)!),
      "a replayed delivery keeps its webhook-id",
    );

    const rotated = await ada.submit(replayed, `${one}/rotate`);
    const [secret = ""] = /whsec_[A-Za-z0-9+/=]+/.exec(rotated.html) ?? [];
    assert.notEqual(secret, echoed);
    assert.match((await ada.submit(rotated, `${one}/switch`)).html, /Webhook turned off\./);
    assert.equal((await ada.submit(page, `${one}/replay`)).status, 409);
    assert.equal((await viewer.open(one)).status, 403);
    assert.equal((await viewer.open(at)).status, 403);
    assert.match((await ada.confirm(page, `${one}/delete`)).html, /Webhook deleted\./);
    assert.equal((await ada.open(one)).status, 404);
  }, { allowPrivateUpstreams: true }));
