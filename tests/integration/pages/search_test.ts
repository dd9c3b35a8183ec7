/** Searches a workspace with the API and on its page. */
import assert from "node:assert/strict";
import { withDashboard } from "../../helpers/dashboard.ts";
import { deploy } from "../../helpers/platform.ts";

Deno.test("search finds the current workspace's content, pages and documents, and nothing else", () =>
  withDashboard(async ({ api, own, ada, viewer, stranger, platform }) => {
    for (const name of ["harbour-shop", "tide-tables"]) await api("POST", "/v1/projects", { name });
    const made = await deploy(own, "tide-tables", {
      files: { "index.html": "tides" },
      message: "Lanterns on the Quay",
    });
    const domain = { hostname: "boats.harbour.example", environment: "production" };
    await api("POST", "/v1/projects/tide-tables/domains", domain);
    const { json: database } = await api("POST", "/v1/projects/harbour-shop/databases", {
      name: "berths",
    });
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
    assert.deepEqual(await find("berth"), ["database harbour-shop berths"]);
    assert.deepEqual(await find(database.id), ["database harbour-shop berths"]);
    assert.deepEqual(await find("VIC@"), ["member null vic"]);
    assert.deepEqual(
      await find("sam@example.com"),
      [],
      "people outside the workspace are not found",
    );
    assert.deepEqual(await find("nowhere"), []);
    assert.deepEqual(await find(" "), []);
    await api("GET", `/v1/search?query=${"x".repeat(101)}`, undefined, 400);

    const at = "/workspaces/acme/search";
    const page = await viewer.open(`${at}?q=lanterns`);
    assert.match(page.html, new RegExp(`href="/deployments/${made.id}"`));
    const berths = await viewer.open(`${at}?q=berths`);
    assert.match(
      berths.html,
      /href="\/workspaces\/acme\/projects\/harbour-shop\/databases\/berths"/,
    );
    assert.equal(
      (await viewer.open("/workspaces/acme/projects/harbour-shop/databases/berths")).status,
      200,
    );
    assert.match((await viewer.open(`${at}?q=vic`)).html, /href="\/workspaces\/acme#members"/);
    assert.match((await viewer.open("/workspaces/acme")).html, /id="members"/);
    assert.match(
      (await viewer.open(`${at}?q=stale`)).html,
      /href="\/docs\/caching#when-a-response-is-stale"/,
    );
    const settings = await ada.open(`${at}?q=quiet`);
    assert.match(settings.html, /href="\/notifications\/preferences"/);
    assert.match((await ada.open(`${at}?q=zzyzx`)).html, /svc projects list/);
    assert.equal((await ada.open(`${at}?q=${"%F0%9F".repeat(3)}${"x".repeat(300)}`)).status, 200);
    assert.equal((await stranger.open(`${at}?q=lanterns`)).status, 404);
  }));
