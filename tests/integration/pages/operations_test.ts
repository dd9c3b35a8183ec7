/** The pages of what runs beside requests, as someone without JavaScript uses them. */
import assert from "node:assert/strict";
import { deployServer, LAYERS } from "../../helpers/compute_site.ts";
import { withDashboard } from "../../helpers/dashboard.ts";
import { formsOf } from "../../helpers/page_visitor.ts";

const SHOP = "/workspaces/acme/projects/shop";

const SERVER = `
import { createServer } from "node:http";
createServer((request, response) => {
  if (request.url.startsWith("/api/fails")) response.statusCode = 503;
  response.end("done");
}).listen(Number(process.env.PORT), process.env.HOST);
`;

Deno.test("the cron page runs a task, shows how its runs ended, and leads to their log", () =>
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
