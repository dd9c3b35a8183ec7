/** Search over a workspace, by the API and by its page. */
import assert from "node:assert/strict";
import { withDashboard } from "../../helpers/dashboard.ts";
import { deploy } from "../../helpers/platform.ts";

Deno.test("search finds projects, deployments, domains and pages of the own workspace alone", () =>
  withDashboard(async ({ api, own, ada, viewer, stranger, platform }) => {
    for (const name of ["harbour-shop", "tide-tables"]) await api("POST", "/v1/projects", { name });
    const made = await deploy(own, "tide-tables", {
      files: { "index.html": "tides" },
      message: "Lanterns on the Quay",
    });
    const domain = { hostname: "boats.harbour.example", environment: "production" };
    await api("POST", "/v1/projects/tide-tables/domains", domain);
    await platform.api("POST", "/v1/projects", { json: { name: "foreign-harbour" } });

    const find = async (query: string) =>
      (await api("GET", `/v1/search?query=${encodeURIComponent(query)}`)).json.items.map(
        ({ kind, title, project }: Record<string, string>) => `${kind} ${project} ${title}`,
      );
    assert.deepEqual(await find("HARBOUR"), [
      "project harbour-shop harbour-shop",
      "domain tide-tables boats.harbour.example",
    ]);
    assert.deepEqual(await find("lanterns"), ["deployment tide-tables Lanterns on the Quay"]);
    assert.deepEqual(await find(made.id), ["deployment tide-tables Lanterns on the Quay"]);
    assert.deepEqual(await find("nowhere"), []);
    assert.deepEqual(await find(" "), []);
    await api("GET", `/v1/search?query=${"x".repeat(101)}`, undefined, 400);

    const at = "/workspaces/acme/search";
    const page = await viewer.open(`${at}?q=lanterns`);
    assert.match(page.html, new RegExp(`href="/deployments/${made.id}"`));
    const settings = await ada.open(`${at}?q=quiet`);
    assert.match(settings.html, /href="\/notifications\/preferences"/);
    assert.match((await ada.open(`${at}?q=nowhere`)).html, /svc projects list/);
    assert.equal((await ada.open(`${at}?q=${"%F0%9F".repeat(3)}${"x".repeat(300)}`)).status, 200);
    assert.equal((await stranger.open(`${at}?q=lanterns`)).status, 404);
  }));
