/** What a tile of the overview shows of the last day. */
import assert from "node:assert/strict";
import { withDashboard } from "../../helpers/dashboard.ts";
import { deploy } from "../../helpers/platform.ts";

Deno.test("a project's tile asks for its last day, which counts requests and failures", () =>
  withDashboard(async ({ api, own, ada, viewer, stranger, platform }) => {
    for (const name of ["shop", "empty"]) await api("POST", "/v1/projects", { name });
    await deploy(own, "shop", { files: { "index.html": "open" } });
    for (const path of ["/", "/missing", "/"]) await platform.get("shop.localhost", path);

    const { html } = await ada.open("/workspaces/acme/projects");
    const asked = [...html.matchAll(/hx-get="([^"]+)"/g)].map(([, path]) => path);
    assert.deepEqual(asked, ["/workspaces/acme/projects/shop/day"]);

    const day = await viewer.open(asked[0]!);
    assert.match(day.html, /^<div class="day"/);
    assert.match(day.html, />3 requests in 24 hours</);
    assert.ok(!day.html.includes("failed</span>"));
    assert.match(day.headers.get("content-security-policy")!, /^default-src 'none'/);
    assert.equal((await stranger.open(asked[0]!)).status, 404);
    assert.equal((await ada.open("/workspaces/acme/projects/none/day")).status, 404);
    assert.equal((await ada.open("/workspaces/acme/projects/%00/day")).status, 400);
  }));
