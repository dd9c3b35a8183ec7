import assert from "node:assert/strict";
import {
  Browser,
  enrol,
  eventsOf,
  join,
  PASSWORD,
  signUp,
  signUpWithWorkspace,
} from "../../helpers/browser.ts";
import {
  rekey,
  start,
  stillClock,
  withPlatform,
  withPlatformInProcess,
} from "../../helpers/platform.ts";
import { authenticatorCode } from "../../helpers/authenticator.ts";

Deno.test("a person signs up, out and in, and scripts cannot read the cookie", () =>
  withPlatform(async (platform) => {
    const ada = await signUp(platform, "ada");
    const again = await ada.send("POST", "/v1/sign-up", {
      json: { name: "x", email: " ADA@example.com", password: PASSWORD },
    });
    assert.deepEqual([again.status, again.json.code], [409, "conflict"]);
    const { json: account } = await ada.send("GET", "/v1/account");
    assert.equal(account.email, "ada@example.com");
    assert.equal(account.signUpMethod, "email");

    const out = await ada.send("POST", "/v1/sign-out");
    assert.equal(out.status, 204);
    assert.match(out.headers.get("set-cookie")!, /^svc_session=; Path=\/; Max-Age=0/);
    assert.equal((await ada.send("GET", "/v1/account")).status, 401);

    const back = await ada.signIn("Ada@Example.com");
    assert.deepEqual([back.status, back.json.status], [200, "signed_in"]);
    assert.match(
      back.headers.getSetCookie()[0]!,
      /^svc_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
    assert.ok(!JSON.stringify(back.json).includes(ada.token));
    assert.deepEqual(await eventsOf(ada), ["security.new_login", "security.new_login"]);
  }));

Deno.test("over HTTPS, the cookie is Secure and limited to its host", () =>
  withPlatform(async (platform) => {
    const ada = new Browser(platform);
    const answer = await ada.send("POST", "/v1/sign-up", {
      json: { name: "Ada", email: "ada@example.com", password: PASSWORD },
    });
    assert.match(
      answer.headers.getSetCookie()[0]!,
      /^__Host-svc_session=[\w-]{43}; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/,
    );
    assert.match(answer.headers.getSetCookie()[1]!, /^__Host-svc_device_.*HttpOnly.*; Secure$/);
    assert.equal((await ada.send("GET", "/v1/account")).status, 200);
  }, { publicUrl: "https://svc.example.com" }));

Deno.test("unknown accounts and wrong passwords get the same response", () =>
  withPlatform(async (platform) => {
    await signUp(platform, "ada");
    const ask = async (email: string) => {
      const { status, json } = await new Browser(platform).signIn(email, "wrong password");
      const { requestId: _, ...told } = json;
      return { status, told };
    };
    const known = await ask("ada@example.com");
    const unknown = await ask("nobody@example.com");
    assert.equal(known.status, 401);
    assert.deepEqual([known.status, known.told], [unknown.status, unknown.told]);
  }));

Deno.test("password guesses are slowed down equally for known and unknown accounts", () =>
  withPlatformInProcess(async (platform) => {
    const ada = await signUp(platform, "ada");
    const statuses = async (email: string) => {
      const seen: number[] = [];
      for (let guess = 0; guess < 6; guess++) {
        const answer = await new Browser(platform).signIn(email, `wrong ${guess}`);
        seen.push(answer.status);
        if (answer.status === 429) assert.ok(Number(answer.headers.get("retry-after")) >= 1);
      }
      return seen;
    };
    const known = await statuses("ada@example.com");
    assert.equal((await new Browser(platform).signIn("ada@example.com")).status, 429);
    const unknown = await statuses("nobody@example.com");
    assert.deepEqual(known, [401, 401, 401, 401, 401, 429]);
    assert.deepEqual(unknown, known);
    assert.equal((await ada.send("GET", "/v1/account")).status, 200, "existing sessions continue");
  }, { now: stillClock() }));

Deno.test("many simultaneous guesses give no advantage", () =>
  withPlatformInProcess(async (platform) => {
    await signUp(platform, "ada");
    const guesses = Array.from(
      { length: 12 },
      (_, n) => new Browser(platform).signIn("ada@example.com", `wrong ${n}`),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 401).length, 5);
    assert.equal(statuses.filter((status) => status === 429).length, 7);
  }, { now: stillClock() }));

Deno.test("signing in does not authenticate a session that was planted beforehand", () =>
  withPlatform(async (platform) => {
    const ada = await signUp(platform, "ada");
    const planted = "A".repeat(43);
    const victim = new Browser(platform);
    victim.cookie = `svc_session=${planted}`;
    await victim.signIn("ada@example.com");
    assert.notEqual(victim.token, planted);
    const attacker = new Browser(platform);
    attacker.cookie = `svc_session=${planted}`;
    assert.equal((await attacker.send("GET", "/v1/account")).status, 401);
    const two = new Browser(platform);
    two.cookie = `svc_session=${planted}; ${ada.cookie}`;
    assert.equal((await two.send("GET", "/v1/account")).status, 200, "the owner stays signed in");
  }));

const origins = [
  ["the platform's own page", { "sec-fetch-site": "same-origin" }, 204],
  ["a deployment below the platform", { "sec-fetch-site": "same-site" }, 403],
  ["another site", { "sec-fetch-site": "cross-site" }, 403],
  ["no browser at all", { "sec-fetch-site": "" }, 403],
] as const;

Deno.test("only the platform's own pages can use a session to change anything", () =>
  withPlatform(async (platform) => {
    for (const [name, headers, expected] of origins) {
      const ada = await signUp(platform, `ada-${expected}-${name.length}`);
      const answer = await ada.send("POST", "/v1/sign-out", { headers });
      assert.equal(answer.status, expected, name);
    }
    const ada = await signUp(platform, "ada");
    const byOrigin = async (origin: string | undefined) => {
      const answer = await platform.api("POST", "/v1/workspaces", {
        token: null,
        json: { slug: "x", name: "x" },
        headers: { cookie: ada.cookie, ...(origin === undefined ? {} : { origin }) },
      });
      return answer.status;
    };
    assert.equal(await byOrigin("https://evil.example"), 403);
    assert.equal(await byOrigin(`http://shop.localhost:${platform.port}`), 403);
    assert.equal(await byOrigin("null"), 403);
    assert.equal(await byOrigin(undefined), 403);
    assert.equal(await byOrigin(platform.url), 201);
    const signIn = await new Browser(platform).send("POST", "/v1/sign-in", {
      json: { email: "ada@example.com", password: PASSWORD },
      headers: { "sec-fetch-site": "cross-site" },
    });
    assert.equal(signIn.status, 403, "another site cannot sign anyone in");
  }));

Deno.test("a session must name a workspace, and sees only its user's workspaces", () =>
  withPlatform(async (platform) => {
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    await signUpWithWorkspace(platform, "bob");
    const none = await ada.send("GET", "/v1/projects");
    assert.deepEqual([none.status, none.json.error], [400, "X-Workspace header is required"]);
    assert.equal((await ada.send("GET", "/v1/projects", { workspace: "ada" })).status, 200);
    assert.equal((await ada.send("GET", "/v1/projects?workspace=ada")).status, 200);
    const { json: theirs, status } = await ada.send("GET", "/v1/projects", { workspace: "bob" });
    const { json: nobodys } = await ada.send("GET", "/v1/projects", { workspace: "bobo" });
    assert.equal(status, 404);
    assert.equal(theirs.error.replace("bob", ""), nobodys.error.replace("bobo", ""));
    const { json: list } = await ada.send("GET", "/v1/workspaces");
    assert.deepEqual(list.items.map((each: { slug: string }) => each.slug), ["ada"]);
    const taken = await ada.send("POST", "/v1/workspaces", { json: { slug: "bob", name: "b" } });
    assert.equal(taken.status, 409);
  }));

Deno.test("the second factor is required, no code works twice, and recovery codes work once", () =>
  withPlatform(async (platform) => {
    const ada = await signUp(platform, "ada");
    const { secret, recoveryCodes } = await enrol(ada);
    assert.equal(recoveryCodes.length, 10);
    const signIn = async (code: string) => {
      const browser = new Browser(platform);
      const first = await browser.signIn("ada@example.com");
      assert.equal(first.json.status, "two_factor_required");
      assert.equal(browser.cookie, "", "the password alone creates no session");
      const { challenge } = first.json;
      const answer = await browser.send("POST", "/v1/sign-in/two-factor", {
        json: { challenge, code },
      });
      return answer.status;
    };
    const [code, earlier] = [authenticatorCode(secret), authenticatorCode(secret, -1)];
    assert.equal(await signIn(code), 200);
    assert.equal(await signIn(code), 403);
    assert.equal(await signIn(earlier), 403, "codes from earlier time steps are refused");
    assert.equal(await signIn(recoveryCodes[0]!.toUpperCase().replaceAll("-", " ")), 200);
    assert.equal(await signIn(recoveryCodes[0]!), 403);
    const events = await eventsOf(ada);
    assert.deepEqual(events.slice(0, 3), [
      "security.new_login",
      "security.two_factor_enrollment_started",
      "security.two_factor_enabled",
    ]);
  }));

Deno.test("the second factor cannot be guessed, and turning it off requires a password and code", () =>
  withPlatformInProcess(async (platform) => {
    const ada = await signUp(platform, "ada");
    const { secret, recoveryCodes } = await enrol(ada);
    const off = (json: unknown) => ada.send("POST", "/v1/account/two-factor/disable", { json });
    const [code] = recoveryCodes;
    assert.equal((await off({ password: "wrong password", code })).status, 403);
    assert.equal((await off({ password: PASSWORD, code: "000000" })).status, 403);
    const { json } = await new Browser(platform).signIn("ada@example.com");
    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess++) {
      const answer = await new Browser(platform).send("POST", "/v1/sign-in/two-factor", {
        json: { challenge: json.challenge, code: String(100000 + guess) },
      });
      statuses.push(answer.status);
    }
    assert.deepEqual(statuses, [403, 403, 403, 403, 429, 429]);
    const right = authenticatorCode(secret);
    assert.equal((await off({ password: PASSWORD, code: right })).status, 429);
  }, { now: stillClock() }));

Deno.test("a new password ends all other sessions", () =>
  withPlatform(async (platform) => {
    const ada = await signUp(platform, "ada");
    const other = new Browser(platform);
    await other.signIn("ada@example.com");
    assert.equal((await other.send("GET", "/v1/account")).status, 200);
    const change = (current: string) =>
      ada.send("POST", "/v1/account/password", { json: { current, next: "another password" } });
    assert.equal((await change("wrong password")).status, 403);
    assert.equal((await change(PASSWORD)).status, 204);
    assert.equal((await other.send("GET", "/v1/account")).status, 401);
    assert.equal((await ada.send("GET", "/v1/account")).status, 200);
    assert.equal((await other.signIn("ada@example.com")).status, 401);
    assert.equal((await other.signIn("ada@example.com", "another password")).status, 200);
    assert.ok((await eventsOf(ada)).includes("security.password_changed"));
  }));

Deno.test("people can list and end only their own sessions", () =>
  withPlatform(async (platform) => {
    const ada = await signUp(platform, "ada");
    const other = new Browser(platform);
    await other.signIn("ada@example.com");
    const { json } = await ada.send("GET", "/v1/account/sessions");
    assert.deepEqual(
      json.items.map((each: { name: string; current: boolean }) => [each.name, each.current]),
      [["Firefox on Linux", false], ["Firefox on Linux", true]],
    );
    const path = `/v1/account/sessions/${json.items[0].id}`;
    const bob = await signUp(platform, "bob");
    assert.equal((await bob.send("DELETE", path)).status, 404);
    assert.equal((await other.send("GET", "/v1/account")).status, 200);
    assert.equal((await ada.send("DELETE", path)).status, 204);
    assert.equal((await other.send("GET", "/v1/account")).status, 401);
  }));

Deno.test("a new platform's owner signs in with a link that works only once", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-test-" });
  const first = await start(dataDir);
  const old = new URL(first.ownerLink!).pathname.split("/").at(-1)!;
  await first.shutdown();
  const platform = await start(dataDir);
  const token = new URL(platform.ownerLink!).pathname.split("/").at(-1)!;
  const claim = (given: string, browser = new Browser(platform)) =>
    browser.send("POST", "/v1/owner-link", {
      json: { token: given, name: "Olga", email: "olga@example.com", password: PASSWORD },
    });
  assert.equal((await claim(old)).status, 404, "a restart invalidates the earlier link");
  const olga = new Browser(platform);
  const claimed = await claim(token, olga);
  assert.deepEqual([claimed.status, claimed.json.account.name], [200, "Olga"]);
  assert.equal((await claim(token)).status, 404);
  const me = await olga.send("GET", "/v1/me", { workspace: "default" });
  assert.deepEqual([me.json.workspace.role, me.json.credential.type], ["owner", "session"]);
  assert.ok(!platform.logged.join("\n").includes(token));
  await platform.shutdown();
  const later = await start(dataDir);
  assert.equal(later.ownerLink, undefined);
  assert.equal((await new Browser(later).signIn("olga@example.com")).status, 200);
  await later.shutdown();
  await Deno.remove(dataDir, { recursive: true });
});

Deno.test("an authenticator still works after its secrets are re-encrypted", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-test-" });
  const before = await start(dataDir);
  const { secret } = await enrol(await signUp(before, "ada"));
  await before.shutdown();
  assert.equal(
    await rekey(dataDir),
    2,
    "the secrets of the authenticator and of device cookies are encrypted again",
  );
  const platform = await start(dataDir);
  const browser = new Browser(platform);
  const { json } = await browser.signIn("ada@example.com");
  const answer = await browser.send("POST", "/v1/sign-in/two-factor", {
    json: { challenge: json.challenge, code: authenticatorCode(secret) },
  });
  assert.equal(answer.status, 200);
  await platform.shutdown();
  await Deno.remove(dataDir, { recursive: true });
});

Deno.test("an invitation works once, and all members except the last owner can leave", () =>
  withPlatform(async (platform) => {
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    const bob = await signUp(platform, "bob");
    const eve = await signUp(platform, "eve");
    const invited = await ada.send("POST", "/v1/invitations", {
      json: { role: "viewer" },
      workspace: "ada",
    });
    const token = new URL(invited.json.url).pathname.split("/").at(-1);
    const accept = (browser: Browser) =>
      browser.send("POST", "/v1/invitations/accept", { json: { token } });
    const both = await Promise.all([accept(bob), accept(eve)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404]);
    const guest = both[0]!.status === 200 ? bob : eve;
    const members = await guest.send("GET", "/v1/members", { workspace: "ada" });
    assert.equal(members.json.items.length, 2);
    const role = (id: string, role: string) =>
      ada.send("PATCH", `/v1/members/${id}`, { json: { role }, workspace: "ada" });
    const { json: me } = await ada.send("GET", "/v1/account");
    const { json: them } = await guest.send("GET", "/v1/account");
    assert.equal((await role(me.id, "viewer")).status, 409);
    assert.equal(
      (await ada.send("POST", "/v1/workspace/leave", { workspace: "ada" })).status,
      409,
    );
    const create = () =>
      guest.send("POST", "/v1/projects", { json: { name: "shop" }, workspace: "ada" });
    assert.equal((await create()).status, 403);
    assert.equal((await role(them.id, "developer")).status, 200);
    assert.equal((await create()).status, 201, "a new role takes effect immediately");
    const remove = () => guest.send("DELETE", "/v1/projects/shop", { workspace: "ada" });
    assert.equal((await remove()).status, 403);
    assert.equal(
      (await ada.send("DELETE", `/v1/members/${them.id}`, { workspace: "ada" })).status,
      204,
    );
    assert.equal((await guest.send("GET", "/v1/projects", { workspace: "ada" })).status, 404);
  }));

Deno.test("an invitation is invalid once its creator is no longer a member", () =>
  withPlatform(async (platform) => {
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    const bob = await signUp(platform, "bob");
    const eve = await signUp(platform, "eve");
    await join(ada, bob, { workspace: "ada", role: "owner" });
    const invited = await bob.send("POST", "/v1/invitations", {
      json: { role: "owner" },
      workspace: "ada",
    });
    const token = new URL(invited.json.url).pathname.split("/").at(-1);
    const { json: them } = await bob.send("GET", "/v1/account");
    await ada.send("DELETE", `/v1/members/${them.id}`, { workspace: "ada" });
    const answer = await eve.send("POST", "/v1/invitations/accept", { json: { token } });
    assert.equal(answer.status, 404);
  }));

Deno.test("keys are revoked when their creator leaves, and stay revoked if that person rejoins", () =>
  withPlatform(async (platform) => {
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    const bob = await signUp(platform, "bob");
    await join(ada, bob, { workspace: "ada", role: "owner" });
    const { json: made } = await bob.send("POST", "/v1/api-keys", {
      json: { name: "bobs" },
      workspace: "ada",
    });
    await bob.send("POST", "/v1/trusted-publishers", {
      json: { provider: "github", repository: "bob/shop", permissions: ["read"] },
      workspace: "ada",
    });
    const use = async () => (await platform.api("GET", "/v1/me", { token: made.key })).status;
    assert.equal(await use(), 200);
    assert.equal((await bob.send("POST", "/v1/workspace/leave", { workspace: "ada" })).status, 204);
    assert.equal(await use(), 401);
    await join(ada, bob, { workspace: "ada", role: "owner" });
    assert.equal(await use(), 401);
    const list = await ada.send("GET", "/v1/api-keys", { workspace: "ada" });
    assert.deepEqual(list.json.items, []);
    const log = await ada.send("GET", "/v1/security-events", { workspace: "ada" });
    const told: string[] = log.json.items.slice(0, 2).map(({ event }: { event: string }) => event);
    assert.deepEqual(told.sort(), ["security.api_key_revoked", "security.publisher_removed"]);
    const publishers = await ada.send("GET", "/v1/trusted-publishers", { workspace: "ada" });
    assert.deepEqual(publishers.json.items, []);
  }));

Deno.test("API keys are shown only once, listed by prefix, limited by role, and revoked", () =>
  withPlatform(async (platform) => {
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    const make = (json: unknown) => ada.send("POST", "/v1/api-keys", { json, workspace: "ada" });
    const { json: made, status } = await make({ name: "ci", role: "viewer" });
    assert.equal(status, 201);
    assert.match(made.key, /^svc_[\w-]{43}$/);
    const list = await ada.send("GET", "/v1/api-keys", { workspace: "ada" });
    assert.ok(!JSON.stringify(list.json).includes(made.key));
    assert.equal(list.json.items[0].lastUsedAt, null);
    const byKey = (method: string, path: string, json?: unknown) =>
      platform.api(method, path, { token: made.key, ...(json === undefined ? {} : { json }) });
    assert.equal((await byKey("GET", "/v1/me")).json.workspace.role, "viewer");
    assert.equal((await byKey("POST", "/v1/projects", { name: "shop" })).status, 403);
    assert.equal(
      (await byKey("GET", "/v1/account")).status,
      403,
      "a key does not belong to an account",
    );
    assert.equal((await byKey("POST", "/v1/sign-out")).status, 403);
    const seen = await ada.send("GET", "/v1/api-keys", { workspace: "ada" });
    assert.notEqual(seen.json.items[0].lastUsedAt, null);
    const path = `/v1/api-keys/${made.id}`;
    const change = await ada.send("PATCH", path, {
      json: { permissions: ["read"] },
      workspace: "ada",
    });
    assert.equal(change.status, 200);
    assert.equal((await ada.send("DELETE", path, { workspace: "ada" })).status, 204);
    assert.equal(
      (await byKey("GET", "/v1/me")).status,
      401,
      "revocation takes effect immediately, despite the cache",
    );
    const log = await ada.send("GET", "/v1/security-events", { workspace: "ada" });
    assert.deepEqual(log.json.items.map((each: { event: string }) => each.event), [
      "security.api_key_revoked",
      "security.api_key_changed",
      "security.api_key_created",
    ]);
    assert.match(
      log.json.items[1].detail,
      /^API key "ci" \(svc_\S+…\) was changed: viewer with read$/,
    );
  }));

Deno.test("an API key can make 5,000 requests in an hour", () =>
  withPlatformInProcess(async (platform) => {
    const statuses = new Map<number, number>();
    let retryAfter: string | null = null;
    const worker = async (count: number) => {
      for (let n = 0; n < count; n++) {
        const answer = await platform.api("GET", "/v1/me");
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status === 429) retryAfter = answer.headers.get("retry-after");
      }
    };
    await Promise.all(Array.from({ length: 10 }, () => worker(501)));
    assert.deepEqual([...statuses], [[200, 5000], [429, 10]]);
    assert.ok(Number(retryAfter) > 0);
  }, { now: stillClock() }));
