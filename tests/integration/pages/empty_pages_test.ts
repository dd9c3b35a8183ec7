/** The pages of a new workspace and a new project must show the next command to run. */
import assert from "node:assert/strict";
import { withDashboard } from "../../helpers/dashboard.ts";
import { formsOf } from "../../helpers/page_visitor.ts";
import { pageRoutes } from "../../helpers/page_routes.ts";

/** Pages that are never empty, each with the reason. */
const FULL: Readonly<Record<string, string>> = {
  "/account": "forms for the password and the second factor",
  "/account/activity": "the sign-up",
  "/account/channels": "switches",
  "/notifications/preferences": "switches",
  "/workspaces": "the workspace",
  "/workspaces/:slug": "the owner",
  "/workspaces/:slug/audit": "the form that creates a workspace",
  "/workspaces/:slug/new-project/git": "a form",
  "/workspaces/:slug/new-project/upload": "a form",
  "/workspaces/:slug/new-project/template": "a form",
  "/workspaces/:slug/search": "all pages",
  "/workspaces/:slug/projects/:project/day": "part of the overview",
  "/workspaces/:slug/projects/:project/settings": "a form",
};

/** Matches a CLI command, or a command that visits the site. */
const COMMAND =
  /<(?:pre class="terminal"|code)[^>]*>(?:export SVC_API_URL=\S+\n)?(?:svc [a-z]+|curl )/;

/** Routes for page fragments, files, redirects to pages, and pages for a single log line. */
const PARTS = /\/(?:picture|deployments|blobs\/download|forms\/export|logs\/.+)$/;

Deno.test("each page of a new workspace and a new project shows the next command to run", () =>
  withDashboard(async ({ ada }) => {
    const made = await ada.submit(await ada.open("/workspaces"), "/workspaces", {
      slug: "fresh",
      name: "Fresh",
    });
    assert.equal(made.status, 200);
    const none = await ada.open("/workspaces/fresh/projects");
    assert.match(none.html, COMMAND, "an overview without projects shows the command");
    await ada.submit(
      await ada.open("/workspaces/fresh/new-project"),
      "/workspaces/fresh/new-project",
      {
        name: "shop",
        branch: "main",
      },
    );
    const { fields: { csrf = "" } } = formsOf((await ada.open("/notifications")).html)[0]!;
    await ada.send("POST", "/notifications/archive-all", { fields: { csrf } });

    const routes = pageRoutes().filter(({ method, path }) =>
      method === "GET" && /^\/(?:workspaces|notifications|account)/.test(path) &&
      !/:(?!slug|project)/.test(path) && !PARTS.test(path)
    ).map(({ path }) => path);
    for (const name of Object.keys(FULL)) {
      assert.ok(routes.includes(name), `${name} is not a route`);
    }
    const silent: string[] = [];
    let seen = 0;
    for (const route of routes) {
      const path = route.replace(":slug", "fresh").replace(":project", "shop");
      const { status, html } = await ada.open(path);
      assert.equal(status, 200, path);
      if (FULL[route] !== undefined || route === "/workspaces/:slug/projects") continue;
      seen++;
      if (!COMMAND.test(html)) silent.push(route);
    }
    assert.deepEqual(silent, []);
    assert.ok(seen >= 15, `only ${seen} pages`);
  }));
