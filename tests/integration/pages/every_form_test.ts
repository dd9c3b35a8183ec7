/**
 * Tests every form in the dashboard, using the list of routes. No form may work without its own
 * token, from another site's page, or for people without access to the workspace. No form that
 * deletes messages may work without confirmation.
 */
import assert from "node:assert/strict";
import { withDashboard } from "../../helpers/dashboard.ts";
import { formsOf } from "../../helpers/page_visitor.ts";
import { pageRoutes } from "../../helpers/page_routes.ts";
import { create, deploy } from "../../helpers/platform.ts";

/** Forms for the messenger, which this platform does not use. */
const ABSENT = /^\/sign-in\/messenger/;

/**
 * Forms for people who are not signed in. They do not change an account and do not need a session
 * token.
 */
const BEFORE_SIGN_IN = /^\/(?:sign-in|sign-up|welcome|forgot-password|reset-password)(?:\/|$)/;

/** Forms that delete messages and objects, which ask for confirmation. */
const ENDS_SOMETHING = /\/(?:(?:queues|forms)\/(?:delete|purge)|blobs\/delete)$/;

Deno.test("no form works without its token, from another site, or for people without access", () =>
  withDashboard(async ({ ada, stranger, api, own }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    const live = await deploy(own, "shop", { files: { "index.html": "one" } });
    await create(own, "shop", { files: { "a.html": "two" }, prod: false, branch: "map" });
    const at = "/v1/projects/shop";
    await api("PUT", `${at}/variables/KEPT`, { value: "1", category: "plain", scope: "all" });
    await api("PUT", `${at}/kv/value`, { key: "boat", encoding: "text", value: "kestrel" });
    const { json: database } = await api("POST", `${at}/databases`, { name: "orders" });
    await api("POST", "/v1/deploy-hooks", {
      projectId: "shop",
      name: "cms",
      branch: "main",
      scope: "All",
    });
    const values: Readonly<Record<string, string>> = {
      slug: "acme",
      project: "shop",
      deployment: live.id,
      database: database.id,
      token: "0".repeat(64),
    };
    const state = async () => {
      const paths = [
        "/v1/projects",
        ...["", "/deployments", "/variables", "/domains", "/environments", "/kv", "/queues"]
          .map((p) => at + p),
        `${at}/drains`,
        "/v1/deploy-hooks",
        "/v1/members",
        "/v1/invitations",
        "/v1/api-keys",
        "/v1/webhooks",
      ];
      const read = paths.map(async (path) => (await api("GET", path)).json);
      const text = JSON.stringify(await Promise.all(read));
      return text.replaceAll(/"lastUsed\w*":(?:"[^"]*"|null)/g, "").replaceAll(
        /"(?:updatedAt|hasDatabase\w*)":"[^"]*"/g,
        "",
      );
    };
    const before = await state();
    const { csrf: hers = "" } = formsOf((await ada.open("/account")).html)[0]!.fields;
    const { csrf: others = "" } = formsOf((await stranger.open("/account")).html)[0]!.fields;
    assert.match(hers, /^[0-9a-f]{128}$/);
    assert.notEqual(hers, others);

    const forms = pageRoutes().filter(({ method, path }) =>
      method === "POST" && !ABSENT.test(path)
    );
    assert.ok(forms.length >= 45, String(forms.length));
    for (const { path: route } of forms) {
      const path = route.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? `no-${name}`);
      const fields = { id: live.id, userId: live.id, key: "KEPT", confirm: "shop", role: "owner" };
      const send = (csrf: string | undefined, site: string) =>
        ada.send("POST", path, {
          fields: csrf === undefined ? fields : { ...fields, csrf },
          headers: { "sec-fetch-site": site },
        });
      for (const site of ["same-site", "cross-site"]) {
        assert.equal((await send(hers, site)).status, 403, `${route} sent by ${site}`);
      }
      if (BEFORE_SIGN_IN.test(route)) continue;
      for (const csrf of [undefined, "", "0".repeat(64), others]) {
        assert.equal((await send(csrf, "same-origin")).status, 403, `${route} with ${csrf}`);
      }
      if (!/:slug|:deployment/.test(route)) continue;
      const { status } = await stranger.send("POST", path, { fields: { ...fields, csrf: others } });
      assert.ok([403, 404].includes(status), `${route} by a person without access: ${status}`);
    }
    for (const { path: route } of forms.filter(({ path }) => ENDS_SOMETHING.test(path))) {
      const path = route.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? `no-${name}`);
      const { status, html } = await ada.send("POST", path, {
        fields: {
          csrf: hers,
          what: "the boat",
          environment: "production",
          queue: "mails",
          form: "contact",
        },
      });
      assert.match(
        html,
        /<form id="question"/,
        `${route} does not ask for confirmation: ${status}`,
      );
    }
    assert.equal(await state(), before);
  }));
