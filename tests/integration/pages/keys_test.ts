/** Uses the pages for API keys and trusted publishers in a browser without scripts. */
import assert from "node:assert/strict";
import { withDashboard } from "../../helpers/dashboard.ts";
import { formsOf, type Page } from "../../helpers/page_visitor.ts";

const KEYS = "/workspaces/acme/keys";
const PUBLISHERS = "/workspaces/acme/publishers";

const secretOf = ({ html }: Page) => /<code class="secret">(\S+)<\/code>/.exec(html)?.[1] ?? "";
const isTicked = ({ html }: Page, id: string) =>
  new RegExp(`<input id="${id}"[^>]*\\schecked`).test(html);

Deno.test("a key gets the selected permissions and projects, and can be changed and revoked", () =>
  withDashboard(async ({ platform, api, ada }) => {
    const { json: shop } = await api("POST", "/v1/projects", { name: "shop" });
    const { json: blog } = await api("POST", "/v1/projects", { name: "blog" });
    const made = await ada.submit(await ada.open(KEYS), KEYS, {
      name: "CI",
      description: "of branches",
      role: "developer",
      expires: "30",
      permissions: ["read", "deploy-previews"],
      reach: "some",
      projects: [shop.id, blog.id],
    });
    const token = secretOf(made);
    const me = () =>
      platform.api("GET", "/v1/me", { token, headers: { "x-forwarded-for": "192.0.2.7" } });
    const { json: before } = await me();
    assert.deepEqual(before.grant.permissions, ["read", "deploy-previews"]);
    assert.deepEqual(before.grant.projects.toSorted(), [shop.id, blog.id].toSorted());
    const lives = Date.parse(before.grant.expiresAt) - Date.now();
    assert.ok(Math.abs(lives - 30 * 86_400_000) < 600_000, String(lives));

    const list = await ada.open(KEYS);
    assert.ok(!list.html.includes(token));
    assert.match(list.html, /Can read and deploy previews of (?:shop, blog|blog, shop) ·/);
    assert.match(list.html, /last used <time[^]*? from <span class="mono">127\.0\.0\.1<\/span>/);
    const path = `${KEYS}/${before.credential.id}`;
    const page = await ada.open(path);
    assert.deepEqual(
      ["may-read", "may-deploy-previews", "may-rules", "reach-some", `project-${shop.id}`]
        .map((id) => isTicked(page, id)),
      [true, true, false, true, true],
    );
    const changed = await ada.submit(page, path, {
      name: "CI",
      permissions: ["read", "rules"],
      reach: "some",
      projects: [blog.id],
      description: "",
    });
    assert.equal(changed.path, `${KEYS}?done=key-changed`);
    const { json: after } = await me();
    assert.deepEqual(
      [after.grant.permissions, after.grant.projects, after.grant.expiresAt],
      [["read", "rules"], [blog.id], before.grant.expiresAt],
    );
    const forever = await ada.submit(await ada.open(path), path, {
      permissions: ["everything"],
      reach: "all",
      expires: "never",
    });
    assert.equal(forever.path, `${KEYS}?done=key-changed`);
    assert.deepEqual((await me()).json.grant, {
      permissions: ["everything"],
      projects: null,
      expiresAt: null,
    });

    const untold = await ada.submit(await ada.open(path), `${KEYS}/revoke`);
    assert.match(untold.html, /Anything that uses it loses access immediately/);
    assert.equal((await me()).status, 200);
    const revoked = await ada.submit(untold, `${KEYS}/revoke`);
    assert.equal(revoked.path, `${KEYS}?done=key-revoked`);
    assert.equal((await me()).status, 401);
    assert.equal((await ada.open(path)).status, 404);
    const { json: log } = await api("GET", "/v1/security-events");
    const events = log.items.map(({ event }: { event: string }) => event).slice(0, 4);
    assert.deepEqual(events, [
      "security.api_key_revoked",
      "security.api_key_changed",
      "security.api_key_changed",
      "security.api_key_created",
    ]);
  }));

Deno.test("an invalid key form is shown again with its selections and does not create a key", () =>
  withDashboard(async ({ api, ada, viewer, stranger }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    const before = (await api("GET", "/v1/api-keys")).json.items.length;
    const wrong: readonly (readonly [Record<string, string | string[]>, RegExp])[] = [
      [{ name: "x", permissions: [] }, /Select at least one permission/],
      [
        { name: "x", reach: "some", projects: [] },
        /Select at least one project, or choose all projects/,
      ],
      [{ name: "" }, /Must not be empty/],
      [{ name: "x", permissions: ["root"] }, /Select at least one permission/],
      [{ name: "x", reach: "some", projects: ["nonsense"] }, /Must be a UUID/],
    ];
    for (const [typed, reason] of wrong) {
      const page = await ada.submit(await ada.open(KEYS), KEYS, {
        role: "developer",
        permissions: ["rules"],
        ...typed,
      });
      assert.equal(page.status, 400, JSON.stringify(typed));
      assert.match(page.html, reason);
      if (typed.permissions === undefined) assert.ok(isTicked(page, "may-rules"));
      assert.equal(secretOf(page), "");
    }
    const now = (await api("GET", "/v1/api-keys")).json.items;
    assert.equal(now.length, before);
    for (const path of [KEYS, `${KEYS}/${now[0].id}`, PUBLISHERS]) {
      assert.equal((await viewer.open(path)).status, 403, path);
      assert.equal((await stranger.open(path)).status, 404, path);
    }
    assert.ok(!(await viewer.open("/workspaces/acme")).html.includes(KEYS));
  }));

Deno.test("a publisher can be trusted and removed on its page", () =>
  withDashboard(async ({ api, ada }) => {
    const { json: shop } = await api("POST", "/v1/projects", { name: "shop" });
    const fields = {
      provider: "github",
      repository: " octo-org/octo-repo ",
      branch: "release/*",
      workflow: "deploy.yml",
      permissions: ["deploy-production", "read"],
      reach: "some",
      projects: [shop.id],
    };
    const wide = await ada.submit(await ada.open(PUBLISHERS), PUBLISHERS, {
      ...fields,
      pullRequests: "yes",
    });
    assert.equal(wide.status, 400);
    assert.match(wide.html, /Must be read or deploy-previews/);
    assert.match(wide.html, /value="release\/\*"/, "the form keeps the value that was typed");
    const added = await ada.submit(await ada.open(PUBLISHERS), PUBLISHERS, fields);
    assert.equal(added.path, `${PUBLISHERS}?done=publisher-added`);
    assert.match(
      added.html.replaceAll("<wbr/>", ""),
      /branch release\/\*, workflow deploy\.yml, by https:\/\/token\.actions/,
    );
    const { json: { items: [publisher] } } = await api("GET", "/v1/trusted-publishers");
    assert.deepEqual(
      [publisher.repository, publisher.branch, publisher.permissions, publisher.projects],
      ["octo-org/octo-repo", "release/*", ["read", "deploy-production"], [shop.id]],
    );
    const remove = `${PUBLISHERS}/remove`;
    assert.equal(
      formsOf(added.html).find(({ action }) => action === remove)!.fields.id,
      publisher.id,
    );
    const removed = await ada.confirm(added, remove);
    assert.equal(removed.path, `${PUBLISHERS}?done=publisher-removed`);
    assert.deepEqual((await api("GET", "/v1/trusted-publishers")).json.items, []);
  }));
