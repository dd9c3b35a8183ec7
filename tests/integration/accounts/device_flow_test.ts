import assert from "node:assert/strict";
import { DEVICE_GRANT_TYPE } from "../../../src/contract/device.ts";
import { EXCHANGE_GRANT_TYPE } from "../../../src/contract/publishers.ts";
import { eventsOf, signUp, signUpWithWorkspace } from "../../helpers/browser.ts";
import { approve, form, poll } from "../../helpers/device_flow.ts";
import { withPlatform } from "../../helpers/platform.ts";

Deno.test("a client gets its token only once, after a person approves", () =>
  withPlatform(async (platform) => {
    const { browser: ada, workspaceId } = await signUpWithWorkspace(platform, "ada");
    const started = await form(platform, "/v1/device", { client_id: "svc on laptop" });
    assert.equal(started.status, 200);
    assert.equal(started.headers.get("cache-control"), "no-store");
    const { device_code, user_code, ...rest } = started.json;
    assert.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.deepEqual(rest, {
      verification_uri: `${platform.url}/device`,
      verification_uri_complete: `${platform.url}/device?code=${user_code}`,
      expires_in: 300,
      interval: 5,
    });
    const pending = await poll(platform, device_code, "svc on laptop");
    assert.deepEqual([pending.status, pending.json.error], [400, "authorization_pending"]);
    const tooFast = await poll(platform, device_code, "svc on laptop");
    assert.deepEqual([tooFast.status, tooFast.json.error], [400, "slow_down"]);

    const typed = user_code.replace("-", "").toLowerCase();
    const shown = await ada.send("GET", `/v1/device/requests/${typed}`);
    assert.equal(shown.json.tool, "svc on laptop");
    assert.equal(shown.json.address, "127.0.0.1");
    assert.equal((await approve(ada, user_code, workspaceId)).status, 204);
    assert.equal((await approve(ada, user_code, workspaceId)).status, 404);

    const polls = await Promise.all(
      [1, 2, 3, 4].map(() => poll(platform, device_code, "svc on laptop")),
    );
    const tokens = polls.filter(({ status }) => status === 200);
    assert.equal(tokens.length, 1, "simultaneous polls get one token");
    const { access_token, ...token } = tokens[0]!.json;
    assert.deepEqual(token, {
      token_type: "Bearer",
      scope: "write",
      workspace_slug: "ada",
      workspace_name: "ada",
    });
    const used = await poll(platform, device_code, "svc on laptop");
    assert.deepEqual([used.status, used.json.error], [400, "invalid_grant"]);

    const me = await platform.api("GET", "/v1/me", { token: access_token });
    assert.deepEqual(
      [me.json.workspace.slug, me.json.credential.type, me.json.credential.name],
      ["ada", "access_token", "svc on laptop"],
    );
    const { json: tools } = await ada.send("GET", "/v1/account/tools");
    assert.deepEqual(
      tools.items.map((each: { name: string; workspace: string }) => [each.name, each.workspace]),
      [["svc on laptop", "ada"]],
    );
    assert.equal((await platform.api("POST", "/v1/sign-out", { token: access_token })).status, 204);
    assert.equal((await platform.api("GET", "/v1/me", { token: access_token })).status, 401);
    assert.deepEqual(await eventsOf(ada), ["security.new_login", "security.new_login"]);
  }));

Deno.test("a client with the read scope can view everything but change nothing", () =>
  withPlatform(async (platform) => {
    const { browser: ada, workspaceId } = await signUpWithWorkspace(platform, "ada");
    const { json } = await form(platform, "/v1/device", { client_id: "reader", scope: "read" });
    const shown = await ada.send("GET", `/v1/device/requests/${json.user_code}`);
    assert.equal(shown.json.scope, "read");
    await approve(ada, json.user_code, workspaceId);
    const { json: token } = await poll(platform, json.device_code, "reader");
    assert.equal(token.scope, "read");
    const as = { token: token.access_token };
    assert.equal((await platform.api("GET", "/v1/projects", as)).status, 200);
    const made = await platform.api("POST", "/v1/projects", { ...as, json: { name: "shop" } });
    assert.equal(made.status, 403);
  }));

Deno.test("a client is told that the person denied access", () =>
  withPlatform(async (platform) => {
    const ada = await signUp(platform, "ada");
    const { json } = await form(platform, "/v1/device", {});
    const path = `/v1/device/requests/${json.user_code}/deny`;
    assert.equal((await ada.send("POST", path)).status, 204);
    const denied = await poll(platform, json.device_code);
    assert.deepEqual([denied.status, denied.json.error], [400, "access_denied"]);
  }));

const badPolls = [
  ["no device code", { grant_type: DEVICE_GRANT_TYPE }, "invalid_request"],
  ["another grant type", { device_code: "x", grant_type: "password" }, "unsupported_grant_type"],
  ["an unknown code", { device_code: "x", grant_type: DEVICE_GRANT_TYPE }, "invalid_grant"],
  ["no grant type", { device_code: "x" }, "invalid_request"],
  ["an empty grant type", { device_code: "x", grant_type: "" }, "invalid_request"],
  ["another grant type, and no code", { grant_type: "password" }, "unsupported_grant_type"],
] as const;

Deno.test("invalid polls are refused in OAuth format, as a form or as JSON", () =>
  withPlatform(async (platform) => {
    for (const [name, fields, code] of badPolls) {
      const asForm = await form(platform, "/v1/device/token", fields);
      const asJson = await platform.api("POST", "/v1/device/token", { token: null, json: fields });
      for (const { status, json } of [asForm, asJson]) {
        assert.deepEqual([status, json.error], [400, code], name);
        assert.equal(typeof json.error_description, "string");
      }
    }
    const twice = await platform.api("POST", "/v1/device/token", {
      token: null,
      body: new URLSearchParams([["device_code", "a"], ["device_code", "b"]]),
    });
    assert.equal(twice.json.error, "invalid_request");
    const noJson = await platform.api("POST", "/v1/device/token", {
      token: null,
      body: "{",
      headers: { "content-type": "application/json" },
    });
    assert.equal(noJson.json.error, "invalid_request");
  }));

Deno.test("a code works only for the client that requested it", () =>
  withPlatform(async (platform) => {
    const { browser: ada, workspaceId } = await signUpWithWorkspace(platform, "ada");
    const { json } = await form(platform, "/v1/device", { client_id: "tool" });
    await approve(ada, json.user_code, workspaceId);
    for (const other of ["thief", undefined]) {
      const refused = await poll(platform, json.device_code, other);
      assert.deepEqual([refused.status, refused.json.error], [400, "invalid_grant"]);
    }
    assert.equal((await poll(platform, json.device_code, "tool")).status, 200);
  }));

Deno.test("one address can start 10 sign-ins per minute", () =>
  withPlatform(async (platform) => {
    const start = (address?: string) =>
      platform.api("POST", "/v1/device", {
        token: null,
        headers: address === undefined ? {} : { "x-forwarded-for": address },
      });
    for (let left = 9; left >= 0; left--) {
      const { status, headers } = await start();
      assert.equal(status, 200);
      assert.equal(headers.get("ratelimit-policy"), '"device";q=10;w=60');
      assert.match(headers.get("ratelimit")!, new RegExp(`^"device";r=${left};t=\\d+$`));
    }
    const refused = await start();
    assert.match(refused.headers.get("ratelimit")!, /^"device";r=0;t=\d+$/);
    assert.deepEqual([refused.status, refused.json.error], [429, "rate_limited"]);
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
    assert.equal((await start("198.51.100.7")).status, 429, "a client's header has no effect");
  }));

Deno.test("behind a trusted proxy, the client's address counts", () =>
  withPlatform(async (platform) => {
    const start = async (address: string) => {
      const { status } = await platform.api("POST", "/v1/device", {
        token: null,
        headers: { "x-forwarded-for": address },
      });
      return status;
    };
    for (let n = 0; n < 10; n++) assert.equal(await start("2001:db8::" + n), 200);
    assert.equal(await start("2001:db8::ffff"), 429, "one /64 network is one client");
    assert.equal(await start("198.51.100.7"), 200);
  }, { trustProxy: ["127.0.0.1"] }));

Deno.test("guessing user codes is limited to five attempts", () =>
  withPlatform(async (platform) => {
    const ada = await signUp(platform, "ada");
    const statuses: number[] = [];
    for (let guess = 0; guess < 7; guess++) {
      statuses.push((await ada.send("GET", `/v1/device/requests/BCDF-GHJ${guess}`)).status);
    }
    assert.deepEqual(statuses, [404, 404, 404, 404, 404, 429, 429]);
  }));

Deno.test("a token is for its approver's workspace, and only the approver can revoke it", () =>
  withPlatform(async (platform) => {
    const { browser: ada, workspaceId } = await signUpWithWorkspace(platform, "ada");
    const { browser: bob, workspaceId: bobs } = await signUpWithWorkspace(platform, "bob");
    const { json } = await form(platform, "/v1/device", {});
    assert.equal((await approve(ada, json.user_code, bobs)).status, 404);
    assert.equal((await approve(ada, json.user_code, workspaceId)).status, 204);
    const { json: token } = await poll(platform, json.device_code);
    const { json: tools } = await ada.send("GET", "/v1/account/tools");
    const path = `/v1/account/tools/${tools.items[0].id}`;
    assert.equal((await bob.send("DELETE", path)).status, 404);
    assert.equal((await platform.api("GET", "/v1/me", { token: token.access_token })).status, 200);
    assert.equal((await ada.send("DELETE", path)).status, 204);
    assert.equal((await platform.api("GET", "/v1/me", { token: token.access_token })).status, 401);
  }));

Deno.test("use of a token from a second country within an hour is reported", () =>
  withPlatform(async (platform) => {
    const { browser: ada, workspaceId } = await signUpWithWorkspace(platform, "ada");
    const { json } = await form(platform, "/v1/device", {});
    await approve(ada, json.user_code, workspaceId);
    const { json: token } = await poll(platform, json.device_code);
    const from = (address: string) =>
      platform.api("GET", "/v1/me", {
        token: token.access_token,
        headers: { "x-forwarded-for": address },
      });
    await from("193.99.144.80");
    await from("8.8.8.8");
    await from("193.99.144.80");
    const log = await ada.send("GET", "/v1/security-events", { workspace: "ada" });
    const seen = log.json.items.filter((each: { event: string }) =>
      each.event === "security.suspicious_activity"
    );
    assert.equal(seen.length, 1, "the guesses are reported only once");
    assert.match(seen[0].detail, /was used from DE and US within an hour/);
  }, { trustProxy: ["127.0.0.1"] }));

Deno.test("the metadata describes the endpoints", () =>
  withPlatform(async (platform) => {
    const { json } = await platform.api("GET", "/.well-known/oauth-authorization-server", {
      token: null,
    });
    assert.equal(json.issuer, platform.url);
    assert.equal(json.device_authorization_endpoint, `${platform.url}/v1/device`);
    assert.equal(json.token_endpoint, `${platform.url}/oauth/token`);
    assert.deepEqual(json.grant_types_supported, [
      "authorization_code",
      "refresh_token",
      DEVICE_GRANT_TYPE,
      EXCHANGE_GRANT_TYPE,
    ]);
  }));
