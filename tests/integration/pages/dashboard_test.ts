/**
 * Tests a real platform's dashboard: how the pages show hostile text, what the forms do, and who
 * can use them.
 */
import assert from "node:assert/strict";
import { type DashboardPlatform, withDashboard } from "../../helpers/dashboard.ts";
import { formsOf, type Page } from "../../helpers/page_visitor.ts";
import { deploy } from "../../helpers/platform.ts";

/** Text that becomes markup wherever it is not escaped. */
const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)>'{{7*7}}`;
const OWN_PICTURE =
  /<img class="sign" src="\/workspaces\/[a-z0-9-]+\/projects\/[a-z0-9-]+\/picture" alt="" width="36" height="36" loading="lazy"\/>/g;
const OWN_SCRIPT = /<script src="\/assets\/[a-z0-9.-]+\.js" defer=""><\/script>/g;
const MAX_PAGE_BYTES = 100_000;

/** Fills the project `shop` with hostile text. Returns the paths of all pages that show it. */
async function furnish({ api, own, ada, platform }: DashboardPlatform): Promise<string[]> {
  const at = "/v1/projects/shop";
  await api("POST", "/v1/projects", { name: "shop", displayName: HOSTILE });
  const live = await deploy(own, "shop", {
    files: { "index.html": "one" },
    rules: {
      schemaVersion: "EDGE_RULE_SET_V1",
      rules: [
        { id: "hostile", name: HOSTILE, action: { type: "log" } },
        { id: "closed", action: { type: "deny", mode: "shadow" } },
      ],
    },
  });
  const preview = await deploy(own, "shop", {
    files: { "index.html": "two" },
    prod: false,
    branch: `x"><b>it's`,
    message: HOSTILE,
    author: HOSTILE,
  });
  await api("PUT", `${at}/variables/HOSTILE`, { value: HOSTILE, category: "plain", scope: "all" });
  await api("PUT", `${at}/variables/TOKEN`, { value: "never", category: "secret", scope: "all" });
  await api("POST", `${at}/domains`, { hostname: "shop.example", environment: "production" });
  await api("POST", "/v1/deploy-hooks", {
    projectId: "shop",
    name: HOSTILE,
    branch: "main",
    scope: "All",
  });
  await api("PUT", `${at}/kv/value`, { key: HOSTILE, encoding: "text", value: HOSTILE });
  const { json: { url } } = await api("POST", `${at}/blobs/sign`, { key: HOSTILE, method: "PUT" });
  await (await fetch(url, { method: "PUT", body: HOSTILE })).body?.cancel();
  await platform.get("shop.localhost", `/${encodeURI(HOSTILE)}`, { "user-agent": HOSTILE });
  await platform.get("shop.localhost", `/?q=<script>alert(1)</script>`);
  const shop = "/workspaces/acme/projects/shop";
  const domains = await ada.open(`${shop}/domains`);
  const records = /href="([^"]+\?show=[^"]+)"/.exec(domains.html)![1]!;
  return [
    "/workspaces",
    "/workspaces/acme",
    "/workspaces/acme/projects",
    "/workspaces/acme/new-project",
    "/workspaces/acme/new-project/git",
    "/workspaces/acme/audit",
    "/workspaces/acme/usage",
    "/workspaces/acme/search",
    `/workspaces/acme/search?q=${encodeURIComponent(HOSTILE.slice(0, 90))}`,
    "/workspaces/acme/search?q=alert",
    ...[
      "",
      "/builds",
      "/deploy",
      "/logs",
      "/traffic",
      "/errors",
      "/domains",
      "/environments",
      "/hooks",
      "/databases",
      "/kv",
      "/blobs",
      "/queues",
      "/drains",
      "/forms",
      "/edge",
      "/usage",
      "/settings",
    ]
      .map((page) => shop + page),
    `${shop}/edge?method=GET&url=${encodeURIComponent(`/${HOSTILE}`)}&ip=x`,
    `${shop}/edge?method=GET&url=${encodeURIComponent(`/?${HOSTILE}`)}`,
    `${shop}/kv?key=${encodeURIComponent(HOSTILE)}`,
    `${shop}/blobs?key=${encodeURIComponent(HOSTILE)}`,
    `${shop}/blobs?prefix=${encodeURIComponent(HOSTILE)}`,
    `${shop}/kv?prefix=${encodeURIComponent(HOSTILE)}`,
    `${shop}/traffic?range=90d&environment=preview`,
    `${shop}/logs?search=${encodeURIComponent(HOSTILE)}&level=info`,
    records,
    `/deployments/${live.id}`,
    `/deployments/${preview.id}`,
    `/deployments/${preview.id}/compare`,
    `/deployments/${preview.id}?search=${encodeURIComponent(HOSTILE)}`,
  ];
}

/** Checks the requirements for every page. */
function checkPage({ path, status, headers, html }: Page): void {
  assert.equal(status, 200, path);
  assert.ok(html.length < MAX_PAGE_BYTES, `${path} has ${html.length} characters`);
  const policy = headers.get("content-security-policy")!;
  assert.match(policy, /^default-src 'none'; /);
  assert.ok(!/unsafe|https?:|\*/.test(policy), policy);
  const rest = html.replaceAll(OWN_SCRIPT, "").replaceAll(OWN_PICTURE, "");
  assert.ok(!/<script|<style|<img|<b>|<i>|javascript:/i.test(rest), path);
  for (const [tag] of rest.matchAll(/<[a-z][^>]*>/gi)) {
    const bare = tag.replaceAll(/"[^"]*"/g, "");
    assert.ok(!/\s(?:on\w+|style)(?:=|[\s>])/i.test(bare), `${path}: ${tag}`);
  }
  assert.equal(html.match(/<h1>/g)?.length, 1, path);
  assert.match(html, /<main[^>]* id="main"/);
  const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length, `${path} has duplicate IDs: ${ids}`);
  for (const [tag] of html.matchAll(/<(?:input|select|textarea) [^>]*>/g)) {
    if (/type="(?:hidden|radio)"|\shidden\b/.test(tag)) continue;
    const id = /\sid="([^"]+)"/.exec(tag)?.[1];
    assert.ok(html.includes(`for="${id}"`), `${path}: ${tag} has no label`);
  }
}

Deno.test("every dashboard page shows hostile text as text and accepts only its own forms", () =>
  withDashboard(async (parts) => {
    const { ada, api } = parts;
    const paths = await furnish(parts);
    const state = async () => {
      const of = (path: string) => api("GET", path).then(({ json }) => json);
      return [
        await of("/v1/projects"),
        await of("/v1/projects/shop/deployments"),
        await of("/v1/projects/shop/variables"),
        await of("/v1/projects/shop/domains"),
        await of("/v1/deploy-hooks"),
      ];
    };
    const before = await state();
    const tried = new Set<string>();
    for (const path of paths) {
      const page = await ada.open(path);
      checkPage(page);
      assert.ok(!page.html.includes("never<"), `${path} shows a secret`);
      for (const { action, fields } of formsOf(page.html)) {
        const { csrf, ...others } = fields;
        if (csrf === undefined || action === "/sign-out") continue;
        tried.add(action);
        const send = (given: Record<string, string>, site = "same-origin") =>
          ada.send("POST", action, { fields: given, headers: { "sec-fetch-site": site } });
        assert.equal((await send(others)).status, 403, `${action} without its token`);
        assert.equal(
          (await send(fields, "same-site")).status,
          403,
          `${action} from a deployed site`,
        );
        assert.equal((await send({ ...fields, csrf: "0".repeat(64) })).status, 403, action);
      }
    }
    const edge = await ada.open("/workspaces/acme/projects/shop/edge");
    assert.match(edge.html, /Shadow mode<\/span><span>[1-9]\d* shadow match/);
    assert.match(edge.html, /Rate limited \(429\)<\/dt><dd>0</);
    assert.ok(tried.size >= 15, [...tried].join("\n"));
    assert.deepEqual(await state(), before);
  }));

Deno.test("the dashboard promotes, rolls back and stops deployments like the API", () =>
  withDashboard(async ({ ada, api, own }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    const empty = await ada.open("/workspaces/acme/projects/shop");
    assert.match(empty.html, /svc link --project-id shop\nsvc deploy --prod/);
    const first = await deploy(own, "shop", { files: { "index.html": "one" } });
    const preview = await deploy(own, "shop", { files: { "index.html": "two" }, prod: false });
    const production = async () =>
      (await api("GET", "/v1/projects/shop")).json.productionDeploymentId;

    const at = `/deployments/${preview.id}`;
    const asked = await ada.submit(await ada.open(at), `${at}/promote`);
    assert.match(asked.html, /<h1 id="question-title">Replace production\?<\/h1>/);
    assert.match(asked.html, /<dt>From<\/dt>.*<dt>To<\/dt>.*<p>1 file differs\.<\/p>/);
    assert.equal(await production(), first.id, "nothing happens before the confirmation");
    const promoted = await ada.submit(asked, `${at}/promote`);
    assert.match(promoted.html, /Promoted to production/);
    const live = await production();
    assert.equal(promoted.path, `/deployments/${live}?done=promoted&undo=${first.id}`);
    assert.notEqual(live, first.id);
    assert.match(promoted.html, /Promoted from a preview/);

    const stale = await ada.submit(asked, `${at}/promote`);
    assert.equal(stale.status, 409);
    assert.match(stale.html, /This changed after the question was shown/);
    assert.equal(await production(), live);

    const back = await ada.confirm(promoted, `/deployments/${live}/rollback`);
    assert.equal(await production(), first.id);
    assert.equal(back.path, `/deployments/${first.id}?done=rolled-back&undo=${live}`);
    assert.doesNotMatch(back.html, /\/rollback"/, "nothing was live before");
    const [, csrf = ""] = /name="csrf" value="(\w+)"/.exec(back.html) ?? [];
    const twice = await ada.send("POST", `/deployments/${first.id}/rollback`, { fields: { csrf } });
    assert.equal(twice.status, 409);
    assert.match(twice.html, /role="alert"|<h1>/);
    const undone = await ada.confirm(back, `/deployments/${live}/restore`);
    assert.equal(await production(), live);
    assert.equal(undone.path, `/deployments/${live}?done=restored&undo=${first.id}`);
    const chosen = await ada.confirm(
      await ada.open(`/deployments/${first.id}`),
      `/deployments/${first.id}/restore`,
    );
    assert.match(chosen.html, /\/rollback"/, "a rollback undoes the promotion");
    assert.match((await ada.open("/workspaces/acme/projects/shop")).html, /shop\/rollback"/);
    const again = await ada.confirm(
      await ada.open(`/deployments/${first.id}`),
      `/deployments/${first.id}/redeploy`,
    );
    assert.match(again.html, /Redeployed the same files/);

    const stopped = await ada.confirm(await ada.open(at), `${at}/stop`);
    assert.match(stopped.html, /state idle past">Stopped/);
    assert.equal((await api("GET", `/v1/deployments/${preview.id}`)).json.status, "STOPPED");
  }));

Deno.test("the dashboard creates a project with variables and hooks, and deletes it once confirmed", () =>
  withDashboard(async ({ ada, api }) => {
    const none = await ada.open("/workspaces/acme/projects");
    assert.match(none.html, /svc login\nsvc init --create\nsvc deploy --prod/);
    const form = await ada.open("/workspaces/acme/new-project");
    const wrong = await ada.submit(form, "/workspaces/acme/new-project", { name: "No Name" });
    assert.equal(wrong.status, 400);
    assert.match(wrong.html, /aria-invalid="true"/);
    const gitUrl = "https://git.example/shop.git";
    const typo = await ada.submit(form, "/workspaces/acme/new-project", { name: "shop", gitUrl });
    assert.match(typo.html, /id="gitUrl-wrong">Cannot reach the repository: /);
    const made = await ada.submit(form, "/workspaces/acme/new-project", { name: "shop" });
    const at = "/workspaces/acme/projects/shop";
    assert.equal(made.path, `${at}?done=project-made`);
    await api("PATCH", "/v1/projects/shop", { gitUrl });

    const key = { key: "API_KEY", category: "secret", scope: "all", value: "one\r\ntwo" };
    const formOf = `${at}/environments/set`;
    const set = await ada.submit(await ada.open(`${at}/variables`), formOf, key);
    assert.match(set.html, /API_KEY/);
    assert.ok(!set.html.includes("two"));
    const sees = await api("POST", "/v1/projects/shop/variables/export", {
      environment: "production",
    });
    assert.equal(sees.json.variables.API_KEY, "one\ntwo");
    const bad = await ada.submit(set, formOf, { ...key, key: "1", value: "unseen" });
    assert.equal(bad.status, 400);
    assert.match(bad.html, /<a href="#key">[^<]+<\/a>/);
    assert.match(
      bad.html,
      /id="key"[^>]* value="1"[^>]* autofocus=""[^>]* aria-invalid="true" aria-describedby="key-wrong"/,
    );
    const plain = { ...key, category: "plain", key: "1", value: "kept &amp; shown" };
    assert.match((await ada.submit(set, formOf, plain)).html, /kept &amp;amp; shown/);
    assert.ok(!bad.html.includes("unseen"), "a typed secret is not returned");
    const removed = await ada.confirm(set, `${at}/environments/remove`);
    assert.ok(!removed.html.includes("API_KEY<"));

    const hook = { name: "cms", branch: "main", scope: "Production" };
    const hooked = await ada.submit(await ada.open(`${at}/hooks`), `${at}/hooks`, hook);
    const addressOf = ({ html }: Page) => /class="secret">([^<]+)</.exec(html)?.[1];
    assert.match(addressOf(hooked)!, /\/v1\/hooks\/[0-9a-f]{64}$/);
    const later = await ada.open(`${at}/hooks`);
    assert.equal(addressOf(later), undefined);
    const renewed = await ada.confirm(later, `${at}/hooks/regenerate`);
    assert.notEqual(addressOf(renewed), addressOf(hooked));
    const gone = await ada.confirm(later, `${at}/hooks/delete`);
    assert.match(gone.html, /No deploy hooks yet/);

    const settings = await ada.open(`${at}/settings`);
    const saved = await ada.submit(settings, `${at}/settings`, {
      buildCommand: "npm run build",
      displayName: "The shop",
    });
    assert.match(saved.html, /<h1>The shop<\/h1>/);
    const late = await ada.submit(settings, `${at}/settings`, { buildCommand: "make" });
    assert.equal(late.status, 409);
    assert.match(late.html, /Someone changed these settings.*value="make"/);
    const { json } = await api("GET", "/v1/projects/shop");
    assert.deepEqual([json.buildCommand, json.outputDirectory], ["npm run build", null]);
    const kept = await ada.confirm(saved, `${at}/settings/delete`, { typed: "The shop" });
    assert.equal(kept.status, 400);
    assert.match(kept.html, /aria-describedby="typed-wrong"/);
    const deleted = await ada.submit(kept, `${at}/settings/delete`, { typed: "shop" });
    assert.equal(deleted.path, "/workspaces/acme/projects?done=project-deleted");
    assert.equal((await api("GET", "/v1/projects/shop", undefined, 404)).status, 404);
  }));

Deno.test("viewers can see everything but change nothing, and other people see nothing", () =>
  withDashboard(async ({ api, own, viewer, stranger }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    const live = await deploy(own, "shop", { files: { "index.html": "one" } });
    const at = "/workspaces/acme/projects/shop";
    for (
      const path of [
        at,
        `${at}/environments`,
        `${at}/hooks`,
        `${at}/domains`,
        `/deployments/${live.id}`,
      ]
    ) {
      const page = await viewer.open(path);
      checkPage(page);
      // A form that filters the page does not change anything.
      const changing = formsOf(page.html).map(({ action }) => action).filter((to) => to !== path);
      assert.deepEqual(changing, ["/sign-out"], path);
      const { csrf = "" } = formsOf(page.html)[0]!.fields;
      const tried = await viewer.send("POST", `${at}/environments/set`, {
        fields: { csrf, key: "A", value: "b", scope: "all", category: "plain" },
      });
      assert.equal(tried.status, 403);
      assert.equal((await stranger.open(path)).status, 404, path);
    }
  }));
