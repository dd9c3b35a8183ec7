import assert from "node:assert/strict";
import { type Access, type Endpoint, endpoints } from "../../src/contract/mod.ts";
import { Browser, enrol, join, PASSWORD, signUp, signUpWithWorkspace } from "./_browser.ts";
import { approve, form, poll } from "./_device.ts";
import { start, type TestPlatform, TOKEN, withPlatform } from "./_platform.ts";

/** A value for each path parameter: what exists in the workspace of Ada. */
async function furnish(platform: TestPlatform, ada: Browser) {
  const inAda = (method: string, path: string, json?: unknown) =>
    ada.send(method, path, { workspace: "ada", ...(json === undefined ? {} : { json }) });
  await inAda("POST", "/v1/projects", { name: "adas-secret-shop" });
  const environment = await inAda("POST", "/v1/projects/adas-secret-shop/environments", {
    name: "adas-stage",
  });
  const key = await inAda("POST", "/v1/api-keys", { name: "adas-key" });
  const invitation = await inAda("POST", "/v1/invitations", { role: "viewer" });
  const { json: account } = await ada.send("GET", "/v1/account");
  const { json: device } = await form(platform, "/v1/device", { client_id: "adas-tool" });
  return {
    project: "adas-secret-shop",
    environment: environment.json.id,
    key: key.json.id,
    invitation: invitation.json.id,
    user: account.id,
    userCode: device.user_code,
  } as Record<string, string>;
}

const NOWHERE = "01900000-0000-7000-8000-000000000000";

Deno.test("no credential of one workspace gets anything of another, over every endpoint", () =>
  withPlatform(async (platform) => {
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    const { browser: bob, workspaceId } = await signUpWithWorkspace(platform, "bob");
    const known = await furnish(platform, ada);
    const { json: device } = await form(platform, "/v1/device", {});
    await approve(bob, device.user_code, workspaceId);
    const { json: token } = await poll(platform, device.device_code);
    let tried = 0;
    for (const [name, value] of Object.entries(endpoints)) {
      const endpoint = value as unknown as Endpoint;
      if (!["viewer", "developer", "owner"].includes(endpoint.access)) continue;
      const path = endpoint.path.replace(/\{(\w+)\}/g, (_, key) => known[key] ?? NOWHERE);
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
    const still = await ada.send("GET", "/v1/projects/adas-secret-shop", { workspace: "ada" });
    assert.equal(still.status, 200, "nothing was changed");
    assert.equal((await ada.send("GET", "/v1/members", { workspace: "ada" })).status, 200);
  }));

Deno.test("a stolen data directory holds no token, code or password", async () => {
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
  assert.equal(control.code, 0, "what is no secret is found");
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
    assert.equal(code, 1, `the data directory holds the ${name}`);
  }
  await Deno.remove(dataDir, { recursive: true });
});

/** What each role may not, by what an endpoint asks for. */
const REFUSED: Readonly<Record<string, readonly Access[]>> = {
  viewer: ["developer", "owner"],
  developer: ["owner"],
};

Deno.test("a role does what it may, and nothing else, over every endpoint", () =>
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
