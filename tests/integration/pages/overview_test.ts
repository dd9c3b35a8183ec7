/** Tests the last day's statistics on a project's tile in the overview. */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { withDashboard } from "../../helpers/dashboard.ts";
import { deploy } from "../../helpers/platform.ts";

Deno.test("a project's tile loads its last day's requests and failures", () =>
  withDashboard(async ({ api, own, ada, viewer, stranger, platform }) => {
    for (const name of ["shop", "empty"]) await api("POST", "/v1/projects", { name });
    await deploy(own, "shop", { files: { "index.html": "open" } });
    for (const path of ["/", "/missing", "/"]) await platform.get("shop.localhost", path);

    const { html } = await ada.open("/workspaces/acme/projects");
    const asked = [...html.matchAll(/hx-get="([^"]+)"/g)].map(([, path]) => path);
    assert.deepEqual(asked, ["/workspaces/acme/projects/shop/day"]);

    // Front edges report their requests a moment later.
    const day = await until(
      () => viewer.open(asked[0]!),
      (page) => page.html.includes(">3 requests in 24 hours<"),
    );
    assert.match(day.html, /^<div class="day"/);
    assert.ok(!day.html.includes("failed</span>"));
    assert.match(day.headers.get("content-security-policy")!, /^default-src 'none'/);
    assert.equal((await stranger.open(asked[0]!)).status, 404);
    assert.equal((await ada.open("/workspaces/acme/projects/none/day")).status, 404);
    assert.equal((await ada.open("/workspaces/acme/projects/%00/day")).status, 400);
  }));

const ICON =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>alert(1)</script></svg>`;

Deno.test("a project's tile shows members the site's icon or a letter", () =>
  withDashboard(async ({ api, own, ada, viewer, stranger }) => {
    for (const name of ["shop", "plain", "hostile"]) await api("POST", "/v1/projects", { name });
    const pictureOf = (project: string, visitor = viewer) =>
      visitor.open(`/workspaces/acme/projects/${project}/picture`);
    assert.match((await pictureOf("shop")).html, />S<\/text>/);
    await deploy(own, "shop", {
      files: {
        "index.html": `<link rel="icon" href="https://shop.example/img/mark.svg?v=1">`,
        "img/mark.svg": ICON,
      },
    });
    await deploy(own, "plain", { files: { "index.html": "open", "favicon.ico": "no picture" } });
    await deploy(own, "hostile", {
      files: {
        "index.html":
          `<link rel="icon" href="/page.svg"><link rel="icon" href="http://127.0.0.1:9/">`,
        "page.svg": "<!doctype html><script>alert(1)</script>",
      },
    });
    const icon = await pictureOf("shop");
    assert.equal(icon.html, ICON);
    assert.equal(icon.headers.get("content-type"), "image/svg+xml");
    // If the icon's URL is opened, the image is sandboxed, so a script in it does not run.
    assert.match(icon.headers.get("content-security-policy")!, /^default-src 'none';.* sandbox$/);
    assert.equal(icon.headers.get("x-content-type-options"), "nosniff");
    assert.match((await pictureOf("plain")).html, />P<\/text>/);
    assert.match((await pictureOf("hostile")).html, />H<\/text>/);

    assert.equal((await pictureOf("shop", stranger)).status, 404);
    assert.equal((await pictureOf("none")).status, 404);
    const { html, headers } = await ada.open("/workspaces/acme/projects");
    assert.ok(html.includes(`src="/workspaces/acme/projects/shop/picture"`));
    assert.match(headers.get("content-security-policy")!, /img-src 'self'/);
  }));
