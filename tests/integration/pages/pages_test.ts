import assert from "node:assert/strict";
import { DEVICE_GRANT_TYPE } from "../../../src/contract/device.ts";
import { formsOf, PASSWORD, Visitor } from "../../helpers/page_visitor.ts";
import { type TestPlatform, withPlatform } from "../../helpers/platform.ts";
import { authenticatorCode } from "../../helpers/authenticator.ts";

/** Matches one of the platform's own scripts, from its own origin. */
const OWN_SCRIPT = /<script src="\/assets\/[a-z0-9.-]+\.js" defer=""><\/script>/g;

const startDevice = async (platform: TestPlatform) =>
  (await platform.api("POST", "/v1/device", { token: null, json: { client_id: "<b>tool</b>" } }))
    .json;
const pollDevice = (platform: TestPlatform, deviceCode: string) =>
  platform.api("POST", "/v1/device/token", {
    token: null,
    json: { grant_type: DEVICE_GRANT_TYPE, device_code: deviceCode, client_id: "<b>tool</b>" },
  });

Deno.test("every page is accessible and forbids scripts, frames and third-party content", () =>
  withPlatform(async (platform) => {
    const ada = new Visitor(platform);
    await ada.signUp("ada");
    await ada.submit(await ada.open("/workspaces"), "/workspaces", { slug: "acme", name: "Acme" });
    const guest = new Visitor(platform);
    const welcome = new URL(platform.ownerLink!).pathname;
    const pages = [
      ...["/", "/sign-in", "/sign-up", welcome, "/welcome/wrong"].map((path) => guest.open(path)),
      ...["/account", "/account/sessions", "/account/activity", "/workspaces", "/workspaces/acme"]
        .map((path) => ada.open(path)),
      ...["/device", "/device?code=BCDF-GHJK", "/workspaces/other"].map((path) => ada.open(path)),
    ];
    for (const page of await Promise.all(pages)) {
      const policy = page.headers.get("content-security-policy")!;
      assert.match(policy, /^default-src 'none'; style-src 'self'; /, page.path);
      assert.match(policy, /form-action 'self'; base-uri 'none'; frame-ancestors 'none'/);
      assert.equal(page.headers.get("referrer-policy"), "same-origin");
      assert.equal(page.headers.get("cache-control"), "no-store");
      const inline = page.html.replaceAll(OWN_SCRIPT, "");
      assert.ok(!/<script|<style|\sstyle=|\son\w+=|javascript:/i.test(inline), page.path);
      assert.equal(
        inline.length < page.html.length,
        /; script-src 'self'; /.test(policy),
        page.path,
      );
      assert.match(page.html, /<html lang="en">/);
      assert.match(page.html, /<title>[^<]+ · svc<\/title>/);
      assert.equal(page.html.match(/<h1>/g)?.length, 1, page.path);
      assert.match(page.html, /<main[^>]* id="main"/);
      const ids = [...page.html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
      assert.equal(new Set(ids).size, ids.length, `${page.path} has duplicate IDs: ${ids}`);
      for (const [tag] of page.html.matchAll(/<input [^>]*>/g)) {
        if (/type="(hidden|radio)"|\shidden\b/.test(tag)) continue;
        const id = /\sid="([^"]+)"/.exec(tag)?.[1];
        assert.ok(page.html.includes(`for="${id}"`), `${page.path}: ${tag} has no label`);
        assert.match(tag, /autocomplete="/);
      }
    }
    const sheet = /href="(\/assets\/[0-9a-f]{16}\.css)"/.exec((await guest.open("/")).html)![1]!;
    const css = await guest.open(sheet);
    assert.match(css.headers.get("cache-control")!, /immutable/);
    assert.match(css.headers.get("content-type")!, /^text\/css/);
  }));

Deno.test("sign-up, sign-in and sign-out redirect to the right page and never to another site", () =>
  withPlatform(async (platform) => {
    const ada = new Visitor(platform);
    const short = await ada.submit(await ada.open("/sign-up"), "/sign-up", {
      name: "<i>Ada</i>",
      email: "ada@example.com",
      password: "short",
    });
    assert.equal(short.status, 400);
    assert.match(short.html, /Must have at least 10 characters/);
    assert.match(short.html, /value="&lt;i&gt;Ada&lt;\/i&gt;"/);
    assert.ok(!short.html.includes("short&quot;") && !/value="short"/.test(short.html));
    assert.equal((await ada.signUp("ada")).path, "/workspaces");
    const out = await ada.submit(await ada.open("/account"), "/sign-out");
    assert.equal(out.path, "/sign-in");
    assert.equal((await ada.open("/account")).path, "/sign-in?next=%2Faccount");

    for (
      const next of ["https://evil.test", "//evil.test", "/\\evil.test", "javascript:alert(1)"]
    ) {
      const back = await new Visitor(platform).signIn("ada@example.com", PASSWORD, next);
      assert.equal(back.path, "/workspaces", next);
    }
    const back = await ada.signIn("ada@example.com", PASSWORD, "/account/activity");
    assert.equal(back.path, "/account/activity");
  }));

Deno.test("an unknown URL shows browsers a page and programs an API error", () =>
  withPlatform(async (platform) => {
    const guest = new Visitor(platform);
    const headers = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const page = await guest.send("GET", "/nowhere", { headers });
    assert.equal(page.status, 404);
    assert.match(page.html, /<h1>Page not found<\/h1>[^]*No page exists at \/nowhere/);
    assert.ok(page.headers.get("x-svc-request-id"));
    const programs = [["/nowhere", "*/*"], ["/v1/nowhere", headers.accept]] as const;
    for (const [path, accept] of programs) {
      const answer = await guest.send("GET", path, { headers: { accept } });
      assert.equal(answer.status, 404);
      assert.equal(JSON.parse(answer.html).code, "not_found", path);
    }
  }));

Deno.test("a form whose session has ended returns to its page after sign-in", () =>
  withPlatform(async (platform) => {
    const guest = new Visitor(platform);
    const send = (referer: string) =>
      guest.send("POST", "/account/password", { fields: {}, headers: { referer } });
    const own = `http://127.0.0.1:${platform.port}/account?x=1`;
    const next = async (referer: string) => (await send(referer)).headers.get("location");
    assert.equal(await next(own), "/sign-in?next=%2Faccount%3Fx%3D1");
    assert.equal(await next("http://evil.test/account"), "/sign-in");
    assert.equal(await next("not an address"), "/sign-in");
  }));

Deno.test("pages do not reveal whether an account exists", () =>
  withPlatform(async (platform) => {
    await new Visitor(platform).signUp("ada");
    const wrong = await new Visitor(platform).signIn("ada@example.com", "a wrong password");
    const unknown = await new Visitor(platform).signIn("eve@example.com", "a wrong password");
    assert.equal(wrong.status, 403);
    assert.equal(unknown.status, 403);
    assert.equal(wrong.html.replaceAll("ada@", "eve@"), unknown.html);
  }));

Deno.test("forms from other sites or without the session's token change nothing", () =>
  withPlatform(async (platform) => {
    const ada = new Visitor(platform);
    await ada.signUp("ada");
    const page = await ada.open("/workspaces");
    const { fields } = formsOf(page.html).find(({ action }) => action === "/workspaces")!;
    const send = (given: Record<string, string>, headers = {}) =>
      ada.send("POST", "/workspaces", {
        fields: { ...given, slug: "acme", name: "Acme" },
        headers,
      });
    assert.match(fields.csrf!, /^[0-9a-f]{128}$/);
    assert.equal((await send({})).status, 403);
    assert.equal((await send({ ...fields, csrf: "0".repeat(64) })).status, 403);
    assert.equal((await send(fields, { "sec-fetch-site": "same-site" })).status, 403);
    const sneaked = await new Visitor(platform).send("POST", "/sign-in", {
      fields: { email: "ada@example.com", password: PASSWORD },
      headers: { "sec-fetch-site": "cross-site" },
    });
    assert.deepEqual([sneaked.status, sneaked.headers.get("set-cookie")], [403, null]);
    assert.ok(!(await ada.open("/workspaces")).html.includes("/workspaces/acme"));
    assert.equal(
      (await send(fields)).headers.get("location"),
      "/workspaces/acme?done=workspace-made",
    );
  }));

Deno.test("a device login shows all details and can be approved for a workspace or denied", () =>
  withPlatform(async (platform) => {
    const ada = new Visitor(platform);
    const first = await startDevice(platform);
    const target = `/device?code=${first.user_code}`;
    assert.equal(first.verification_uri_complete, `${platform.url}${target}`);
    const empty = await ada.signUp("ada", target);
    assert.equal(empty.path, target);
    assert.match(empty.html, /You don&#39;t have a workspace yet/);
    await ada.submit(await ada.open("/workspaces"), "/workspaces", { slug: "acme", name: "Acme" });
    await ada.submit(await ada.open("/workspaces"), "/workspaces", { slug: "beta", name: "Beta" });

    const page = await ada.open(`${target.toLowerCase().replace("-", "")}&workspace=beta`);
    assert.match(page.html, /&lt;b&gt;tool&lt;\/b&gt;/);
    assert.match(page.html, /127\.0\.0\.1/);
    assert.match(page.html, new RegExp(`aria-label="Code ${[...first.user_code].join(" ")}"`));
    const done = await ada.submit(page, "/device/decision", { decision: "approve" });
    assert.match(done.html, /<h1>Connected<\/h1>/);
    const token = await pollDevice(platform, first.device_code);
    assert.deepEqual([token.status, token.json.workspace_slug], [200, "beta"]);
    assert.match((await ada.open("/account/sessions")).html, /&lt;b&gt;tool&lt;\/b&gt;/);

    const second = await startDevice(platform);
    const code = await ada.submit(await ada.open("/device"), "/device", { code: second.user_code });
    const denied = await ada.submit(code, "/device/decision", { decision: "deny" });
    assert.match(denied.html, /<h1>Denied<\/h1>/);
    assert.equal((await pollDevice(platform, second.device_code)).json.error, "access_denied");
    const gone = await ada.open(`/device?code=${second.user_code}`);
    assert.equal(gone.status, 404);
    assert.deepEqual(formsOf(gone.html).map(({ action }) => action), ["/device", "/sign-out"]);
  }));

Deno.test("people can set up, use and turn off the second factor on the pages", () =>
  withPlatform(async (platform) => {
    const ada = new Visitor(platform);
    await ada.signUp("ada");
    const wrong = await ada.submit(await ada.open("/account"), "/account/two-factor", {
      password: "not the password",
    });
    assert.match(wrong.html, /Password is wrong/);
    const enrol = await ada.submit(wrong, "/account/two-factor", { password: PASSWORD });
    const uri = formsOf(enrol.html).find(({ action }) => action.endsWith("/confirm"))!.fields.uri!;
    const secret = new URL(uri).searchParams.get("secret")!;
    assert.ok(enrol.html.includes('<svg class="qr"'));
    const mistyped = await ada.submit(enrol, "/account/two-factor/confirm", { code: "000000" });
    assert.match(mistyped.html, /Code is wrong/);
    const on = await ada.submit(mistyped, "/account/two-factor/confirm", {
      code: authenticatorCode(secret),
    });
    const codes = [...on.html.matchAll(/<li>((?:\w{4}-){3}\w{4})<\/li>/g)].map(([, code]) => code!);
    assert.equal(codes.length, 10);

    const back = new Visitor(platform);
    const challenge = await back.signIn("ada@example.com");
    assert.equal(back.cookie, "");
    const refused = await back.submit(challenge, "/sign-in/two-factor", { code: "000000" });
    assert.match(refused.html, /Code is wrong/);
    const signedIn = await back.submit(refused, "/sign-in/two-factor", { code: codes[0]! });
    assert.equal(signedIn.path, "/workspaces");
    const off = await back.submit(await back.open("/account"), "/account/two-factor/disable", {
      password: PASSWORD,
      code: codes[1]!,
    });
    assert.match(off.html, /Two-factor authentication turned off/);
  }));

Deno.test("the owner's link works once, and the pages can revoke sessions and keys", () =>
  withPlatform(async (platform) => {
    const path = new URL(platform.ownerLink!).pathname;
    const owner = new Visitor(platform);
    const typed = { name: "Olga", email: "olga@example.com", password: PASSWORD };
    const overview = "/workspaces/default/projects";
    assert.equal((await owner.submit(await owner.open(path), path, typed)).path, overview);
    assert.equal((await owner.open("/")).path, overview, "the logo links to the overview");
    assert.equal((await new Visitor(platform).open(path)).status, 404);

    const elsewhere = new Visitor(platform);
    await elsewhere.signIn("olga@example.com");
    await owner.submit(await owner.open("/account/sessions"), "/account/sessions/end");
    assert.equal((await elsewhere.open("/account")).path, "/sign-in?next=%2Faccount");

    const keys = "/workspaces/default/keys";
    const made = await owner.submit(await owner.open(keys), keys, {
      name: "CI",
      role: "viewer",
    });
    const key = /<code class="secret">(\S+)<\/code>/.exec(made.html)![1]!;
    assert.equal((await platform.api("GET", "/v1/me", { token: key })).status, 200);
    const list = await owner.open(keys);
    assert.ok(!list.html.includes(key));
    const pages = [...list.html.matchAll(/href="(\/workspaces\/default\/keys\/[\w-]{36})"/g)];
    assert.equal(pages.length, 2);
    for (const [, page = ""] of pages) {
      await owner.confirm(await owner.open(page), `${keys}/revoke`);
    }
    assert.equal((await platform.api("GET", "/v1/me", { token: key })).status, 401);
  }));

Deno.test("a person signs up with an invitation, and gets only its role's permissions", () =>
  withPlatform(async (platform) => {
    const ada = new Visitor(platform);
    await ada.signUp("ada");
    await ada.submit(await ada.open("/workspaces"), "/workspaces", { slug: "acme", name: "Acme" });
    const room = await ada.open("/workspaces/acme");
    const made = await ada.submit(room, "/workspaces/acme/invitations", { role: "viewer" });
    const link = new URL(/<code class="secret">(\S+)<\/code>/.exec(made.html)![1]!).pathname;

    const eve = new Visitor(platform);
    assert.equal((await eve.open(link)).path, `/sign-in?next=${encodeURIComponent(link)}`);
    const asked = await eve.signUp("eve", link);
    assert.match(asked.html, /Join Acme\?/);
    const joined = await eve.submit(asked, link);
    assert.equal(joined.path, "/workspaces/acme?done=workspace-joined");
    assert.ok(
      room.html.includes(`href="/workspaces/acme/keys"`),
      "an owner sees the link to the keys",
    );
    assert.ok(!joined.html.includes("/workspaces/acme/keys"));
    const { csrf } = formsOf(joined.html)[0]!.fields;
    const send = (path: string) =>
      eve.send("POST", path, { fields: { csrf: csrf!, name: "x", role: "owner" } });
    assert.equal((await send("/workspaces/acme/keys")).status, 403);
    assert.equal((await send("/workspaces/acme/invitations")).status, 403);
    assert.equal((await send("/workspaces/default/keys")).status, 404);
    assert.equal((await eve.open(link)).status, 404);
  }));
