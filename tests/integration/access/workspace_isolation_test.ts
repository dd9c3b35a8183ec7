import assert from "node:assert/strict";
import type { Access, Endpoint } from "../../../src/contract/endpoint.ts";
import { endpoints } from "../../../src/contract/endpoints.ts";
import { enrol, join, PASSWORD, signUp, signUpWithWorkspace } from "../../helpers/browser.ts";
import { approve, form, poll } from "../../helpers/device_flow.ts";
import { furnish, PARAMETERS, valueOf, withEverything } from "../../helpers/furnished_workspace.ts";
import { start, TOKEN, withPlatform } from "../../helpers/platform.ts";

/**
 * Endpoints that take a code. Anyone who is signed in may call them, because the code itself is
 * secret.
 */
const OF_CODES: readonly string[] = Object.entries(endpoints)
  .filter(([, { path }]) => path.includes("{userCode}")).map(([name]) => name);

const NOWHERE = "01900000-0000-7000-8000-000000000000";

Deno.test("one workspace's credentials do not reach another workspace on any endpoint", () =>
  withEverything(async (platform, parts) => {
    const { browser: ada, workspaceId: hers } = await signUpWithWorkspace(platform, "ada");
    const { browser: bob, workspaceId } = await signUpWithWorkspace(platform, "bob");
    const known = await furnish(platform, ada, { ...parts, workspaceId: hers });
    const missing = [...PARAMETERS].filter((name) => known[name] === undefined);
    // Front edges belong to the platform rather than to a workspace.
    assert.deepEqual(missing, ["edge", "sha256"]);
    const { json: device } = await form(platform, "/v1/device", {});
    await approve(bob, device.user_code, workspaceId);
    const { json: token } = await poll(platform, device.device_code);
    let tried = 0;
    for (const [name, value] of Object.entries(endpoints)) {
      const endpoint = value as unknown as Endpoint;
      if (!["viewer", "developer", "owner"].includes(endpoint.access)) continue;
      const path = endpoint.path.replace(
        /\{(\w+)\}/g,
        (_, key) => valueOf(known, endpoint.path, key) ?? NOWHERE,
      );
      const { method } = endpoint;
      const json = method === "GET" || method === "DELETE" ? {} : { json: {} };
      const attempts = {
        "a session without membership": await bob.send(method, path, { ...json, workspace: "ada" }),
        "a token in its own workspace": await platform.api(method, path, {
          ...json,
          token: token.access_token,
        }),
        "a token in the other workspace": await platform.api(method, path, {
          ...json,
          token: token.access_token,
          headers: { "x-workspace": "ada" },
        }),
        "an API key in the other workspace": await platform.api(method, path, {
          ...json,
          token: TOKEN,
          headers: { "x-workspace": "ada" },
        }),
        "nobody": await platform.api(method, path, { ...json, token: null }),
      };
      for (const [who, { status, json: answer }] of Object.entries(attempts)) {
        tried++;
        const text = JSON.stringify(answer ?? "").replaceAll(path, "");
        const told = text.replaceAll('\\"adas-secret-shop\\"', "");
        assert.ok(!/adas-|ada@example/.test(told), `${name} tells ${who}: ${text}`);
        const wanted: Record<string, number> = {
          "a session without membership": 404,
          "a token in the other workspace": 403,
          "an API key in the other workspace": 403,
          "nobody": 401,
        };
        if (who in wanted) assert.equal(status, wanted[who], `${name} by ${who}: ${text}`);
      }
    }
    assert.ok(tried > 150, String(tried));
    for (const [name, value] of Object.entries(endpoints)) {
      const { access, method, path } = value as unknown as Endpoint;
      if (!["self", "account"].includes(access) || !path.includes("{")) continue;
      const hers = path.replace(/\{(\w+)\}/g, (_, key) => known[key] ?? NOWHERE);
      const json = method === "GET" || method === "DELETE" ? {} : { json: {} };
      const isOpen = OF_CODES.includes(name);
      const bySession = await bob.send(method, hers, json);
      const text = JSON.stringify(bySession.json ?? "");
      if (!isOpen) assert.equal(bySession.status, 404, `${name}: ${text}`);
      const byToken = await platform.api(method, hers, { ...json, token: token.access_token });
      assert.ok([404, 403, 401].includes(byToken.status) || isOpen, `${name}: ${byToken.status}`);
    }
    for (
      const path of [
        ...["deploy-hooks", "webhooks"].map((kind) =>
          `/v1/${kind}/${known[kind.slice(0, -1).replace("deploy-", "")]}`
        ),
        `/v1/deployments/${known.deployment}`,
        `/v1/builds/${known.build}`,
        `/v1/webhooks/${known.webhook}/deliveries`,
      ]
    ) {
      assert.equal((await ada.send("GET", path, { workspace: "ada" })).status, 200, path);
    }
    const lists = {
      notification: "/v1/notifications?limit=100",
      subscription_id: "/v1/notifications/push-subscription",
      link: "/v1/account/messenger",
      session: "/v1/account/sessions",
      tool: "/v1/account/tools",
      letter: "/v1/dead-letters",
    };
    for (const [name, path] of Object.entries(lists)) {
      const { items } = (await ada.send("GET", path, { workspace: "ada" })).json;
      assert.ok(
        items.some(({ id }: { id: string }) => id === known[name]),
        `the ${name} still exists`,
      );
    }
    const still = await ada.send("GET", "/v1/projects/adas-secret-shop", { workspace: "ada" });
    assert.equal(still.status, 200, "nothing has changed");
    assert.equal((await ada.send("GET", "/v1/members", { workspace: "ada" })).status, 200);
  }));

Deno.test("a stolen data directory reveals no token, code or password", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-test-" });
  const platform = await start(dataDir);
  const { browser: ada, workspaceId } = await signUpWithWorkspace(platform, "ada");
  const inAda = (path: string, json: unknown) => ada.send("POST", path, { json, workspace: "ada" });
  const { json: key } = await inAda("/v1/api-keys", { name: "ci" });
  const { json: invitation } = await inAda("/v1/invitations", { role: "viewer" });
  const { json: device } = await form(platform, "/v1/device", {});
  await approve(ada, device.user_code, workspaceId);
  const { json: token } = await poll(platform, device.device_code);
  const { secret, recoveryCodes } = await enrol(ada);
  await platform.shutdown();
  const lastPart = (url: string) => new URL(url).pathname.split("/").at(-1)!;
  const control = await new Deno.Command("grep", {
    args: ["-rqaF", "-e", "ada@example.com", dataDir],
  }).output();
  assert.equal(control.code, 0, "the search finds unencrypted text");
  const secrets = {
    session: ada.token,
    "API key": key.key,
    "access token": token.access_token,
    "device code": device.device_code,
    "user code": device.user_code.replace("-", ""),
    "shown user code": device.user_code,
    invitation: lastPart(invitation.url),
    "owner link": lastPart(platform.ownerLink!),
    "authenticator's secret": secret,
    "recovery code": recoveryCodes[0]!,
    "plain recovery code": recoveryCodes[0]!.replaceAll("-", ""),
    password: PASSWORD,
  };
  for (const [name, text] of Object.entries(secrets)) {
    const { code } = await new Deno.Command("grep", { args: ["-rqaF", "-e", text, dataDir] })
      .output();
    assert.equal(code, 1, `the data directory does not contain the ${name}`);
  }
  await Deno.remove(dataDir, { recursive: true });
});

/**
 * The roles that must not be able to call an endpoint, by the access that the endpoint requires.
 */
const REFUSED: Readonly<Record<string, readonly Access[]>> = {
  viewer: ["developer", "owner"],
  developer: ["owner"],
};

Deno.test("on every endpoint, a role can do only what it is allowed to do", () =>
  withPlatform(async (platform) => {
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    for (const [role, refused] of Object.entries(REFUSED)) {
      const guest = await signUp(platform, role);
      await join(ada, guest, { workspace: "ada", role });
      for (const [name, value] of Object.entries(endpoints)) {
        const { access, method, path } = value as unknown as Endpoint;
        if (!["viewer", "developer", "owner"].includes(access) || name === "leaveWorkspace") {
          continue;
        }
        const answer = await guest.send(method, path.replace(/\{\w+\}/g, NOWHERE), {
          workspace: "ada",
          ...(method === "GET" || method === "DELETE" ? {} : { json: {} }),
        });
        assert.equal(answer.status === 403, refused.includes(access), `${name} by ${role}`);
      }
    }
  }));
