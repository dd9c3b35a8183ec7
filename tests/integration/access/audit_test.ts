/** Tests the audit log through the API and on its page. */
import assert from "node:assert/strict";
import { withDashboard } from "../../helpers/dashboard.ts";

const SECRET = "correct-horse-battery";

Deno.test("only the workspace's audit log records a change with its author and origin", () =>
  withDashboard(async ({ api, ada, viewer, stranger }) => {
    await api("POST", "/v1/projects", { name: "harbour" });
    await api("PUT", "/v1/projects/harbour/variables/TOKEN", {
      value: SECRET,
      category: "secret",
      scope: "all",
    });
    await api("POST", "/v1/projects", { name: "harbour" }, 409);
    await api("GET", "/v1/projects/harbour");

    const { json } = await api("GET", "/v1/audit");
    const [variable, project] = json.items;
    assert.equal(variable.action, "setVariable");
    assert.equal(variable.path, "/v1/projects/harbour/variables/TOKEN");
    assert.equal(variable.project, "harbour");
    assert.equal(variable.user.name, "ada");
    assert.match(variable.address, /^127\.0\.0\.1$|^::1$/);
    assert.match(variable.requestId, /\S/);
    assert.equal(project.action, "createProject");
    assert.ok(!JSON.stringify(json).includes(SECRET));
    const of = async (query: string) =>
      (await api("GET", `/v1/audit?${query}`)).json.items.map(({ action }: { action: string }) =>
        action
      );
    assert.deepEqual(await of("action=createProject"), ["createProject"]);
    assert.deepEqual(await of("project=harbour"), ["setVariable"]);
    const { json: { id } } = await api("GET", "/v1/projects/harbour");
    await api("DELETE", `/v1/projects/${id}/variables/TOKEN`);
    for (const name of ["harbour", id]) {
      const both = ["deleteVariable", "setVariable"];
      assert.deepEqual(await of(`project=${name}`), both, "by ID and by name");
    }
    assert.deepEqual(await of("user=01900000-0000-7000-8000-000000000000"), []);
    await api("GET", `/v1/audit?action=${"x".repeat(61)}`, undefined, 400);

    const at = "/workspaces/acme/audit";
    const page = await ada.open(at);
    assert.ok(page.html.replaceAll("<wbr/>", "").includes("/v1/projects/harbour/variables/TOKEN"));
    assert.ok(!page.html.includes(SECRET));
    assert.match((await ada.open(`${at}?action=nothing`)).html, /svc audit/);
    assert.equal((await ada.open(`${at}?cursor=nonsense&user=%00`)).status, 200);
    assert.equal((await viewer.open(at)).status, 403);
    assert.equal((await stranger.open(at)).status, 404);
  }));

Deno.test("pages create the same entries as the API: keys, roles and invitations", () =>
  withDashboard(async ({ api, ada }) => {
    await ada.submit(await ada.open("/workspaces/acme/keys"), "/workspaces/acme/keys", {
      name: '<script>alert("key")</script>',
      role: "viewer",
    });
    await ada.submit(await ada.open("/workspaces/acme"), "/workspaces/acme/invitations", {
      role: "developer",
    });
    const { json } = await api("GET", "/v1/audit");
    const actions = json.items.map(({ action }: { action: string }) => action);
    assert.deepEqual(actions.slice(0, 2), ["createInvitation", "createApiKey"]);
    const page = await ada.open("/workspaces/acme/audit");
    assert.ok(!page.html.includes("<script>alert"));
  }));

Deno.test("the page shows a refused deploy hook call, which has no author", () =>
  withDashboard(async ({ api, ada }) => {
    await api("POST", "/v1/projects", { name: "harbour" });
    const { json: hook } = await api("POST", "/v1/deploy-hooks", {
      projectId: "harbour",
      name: "<b>forge</b>",
      branch: "main",
      scope: "All",
      signed: true,
    });
    await api("POST", new URL(hook.url).pathname, { branch: "main" }, 403);
    const page = await ada.open("/workspaces/acme/audit");
    assert.match(page.html, /Refused an unsigned request to a deploy hook/);
    assert.match(page.html, /with the deploy hook &quot;&lt;b&gt;forge&lt;\/b&gt;&quot;/);
    assert.ok(
      !page.html.includes(new URL(hook.url).pathname),
      "the page does not show the hook's token",
    );
  }));
