/**
 * Tests programs to which a person grants access: the official client's flow, and rejected
 * requests.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Browser, signUpWithWorkspace } from "../../helpers/browser.ts";
import { form } from "../../helpers/device_flow.ts";
import { formsOf, Visitor } from "../../helpers/page_visitor.ts";
import { type TestPlatform, withPlatform } from "../../helpers/platform.ts";

const REDIRECT = "http://127.0.0.1:4711/callback";
const VERIFIER = "v".repeat(43);
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

async function withAda(test: (platform: TestPlatform, ada: Browser) => Promise<void>) {
  await withPlatform(async (platform) => {
    const { browser } = await signUpWithWorkspace(platform, "ada");
    await browser.send("POST", "/v1/projects", { json: { name: "blog" }, workspace: "ada" });
    await test(platform, browser);
  });
}

function visitorOf(platform: TestPlatform, { cookie }: Browser): Visitor {
  const visitor = new Visitor(platform);
  visitor.cookie = cookie;
  return visitor;
}

/** Submits the person's decision on the page. Returns the browser's next URL. */
async function decide(visitor: Visitor, address: string, decision: Record<string, string>) {
  const page = await visitor.send("GET", address);
  assert.equal(page.status, 200, page.html);
  const shown = formsOf(page.html).find(({ action }) => action === "/oauth/decision");
  assert.ok(shown !== undefined, page.html);
  const answer = await visitor.send("POST", "/oauth/decision", {
    fields: { ...shown.fields, ...decision },
  });
  assert.equal(answer.status, 303, answer.html);
  return { page, to: new URL(answer.headers.get("location") ?? "") };
}

const register = (platform: TestPlatform, json: unknown) =>
  platform.api("POST", "/oauth/register", { token: null, json });

async function clientId(platform: TestPlatform): Promise<string> {
  const { status, json } = await register(platform, {
    client_name: "Scripted",
    redirect_uris: [REDIRECT],
  });
  assert.equal(status, 201, JSON.stringify(json));
  return json.client_id;
}

const authorizePath = (fields: Record<string, string>) =>
  `/oauth/authorize?${new URLSearchParams({
    response_type: "code",
    redirect_uri: REDIRECT,
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    state: "s1",
    ...fields,
  })}`;

/** Returns a code that the person has approved. */
async function approvedCode(visitor: Visitor, id: string, scope = "write"): Promise<string> {
  const { to } = await decide(visitor, authorizePath({ client_id: id }), {
    decision: "approve",
    scope,
  });
  return to.searchParams.get("code") ?? "";
}

const exchange = (platform: TestPlatform, fields: Record<string, string>) =>
  form(platform, "/oauth/token", {
    grant_type: "authorization_code",
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    ...fields,
  });

const refresh = (platform: TestPlatform, id: string, token: string) =>
  form(platform, "/oauth/token", {
    grant_type: "refresh_token",
    client_id: id,
    refresh_token: token,
  });

Deno.test("the official client registers, is approved, calls tools, and is revoked", async () => {
  await withAda(async (platform, ada) => {
    let address: URL | undefined;
    const kept: { client?: unknown; tokens?: unknown; verifier?: string } = {};
    const provider = {
      redirectUrl: REDIRECT,
      clientMetadata: { client_name: "Official", redirect_uris: [REDIRECT] },
      clientInformation: () => kept.client,
      saveClientInformation: (client: unknown) => void (kept.client = client),
      tokens: () => kept.tokens,
      saveTokens: (tokens: unknown) => void (kept.tokens = tokens),
      redirectToAuthorization: (url: URL) => void (address = url),
      saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
      codeVerifier: () => kept.verifier ?? "",
    };
    const open = () =>
      new StreamableHTTPClientTransport(new URL(`${platform.url}/mcp`), {
        authProvider: provider as never,
      });
    const first = open();
    await assert.rejects(new Client({ name: "a", version: "1" }).connect(first));
    assert.ok(address !== undefined, "the client did not open the authorization URL");
    assert.equal(address.searchParams.get("resource"), `${platform.url}/mcp`);
    const visitor = visitorOf(platform, ada);
    const { page, to } = await decide(visitor, address.pathname + address.search, {
      decision: "approve",
      scope: "write",
    });
    assert.match(page.html, /Official/);
    assert.match(
      page.headers.get("content-security-policy") ?? "",
      /'self' http:\/\/127\.0\.0\.1:4711/,
    );
    assert.equal(to.searchParams.get("iss"), platform.url);
    await first.finishAuth(to.searchParams.get("code") ?? "");
    const client = new Client({ name: "a", version: "1" });
    await client.connect(open());
    const listed = await client.callTool({ name: "list_projects", arguments: {} });
    assert.match(JSON.stringify(listed.content), /blog/);
    const { json: { items } } = await ada.send("GET", "/v1/account/tools");
    assert.deepEqual(items.map(({ name }: { name: string }) => name), ["Official"]);
    await ada.send("DELETE", `/v1/account/tools/${items[0].id}`);
    await assert.rejects(client.callTool({ name: "list_projects", arguments: {} }));
    await client.close();
  });
});

Deno.test("a code works once and only for its client, and a second use revokes tokens", async () => {
  await withAda(async (platform, ada) => {
    const visitor = visitorOf(platform, ada);
    const id = await clientId(platform);
    const code = await approvedCode(visitor, id);
    const other = (await register(platform, { redirect_uris: [REDIRECT] })).json.client_id;
    const rows: readonly Record<string, string>[] = [
      { client_id: other, code },
      { client_id: id, code, code_verifier: "w".repeat(43) },
      { client_id: id, code, redirect_uri: "http://127.0.0.1:1/callback" },
      { client_id: id, code: "unknown" },
    ];
    for (const wrong of rows) {
      const { status, json } = await exchange(platform, wrong);
      assert.deepEqual([status, json.error], [400, "invalid_grant"], JSON.stringify(wrong));
    }
    const { status, json: tokens } = await exchange(platform, { client_id: id, code });
    assert.equal(status, 200, JSON.stringify(tokens));
    assert.deepEqual([tokens.token_type, tokens.expires_in], ["Bearer", 3600]);
    const me = () => platform.api("GET", "/v1/me", { token: tokens.access_token });
    assert.equal((await me()).json.workspace.slug, "ada");
    const again = await exchange(platform, { client_id: id, code });
    assert.match(again.json.error_description, /already used/);
    assert.equal((await me()).status, 401, "the replay revokes the grant");
  });
});

Deno.test("refreshing returns new tokens, and reusing an old one revokes all tokens", async () => {
  await withAda(async (platform, ada) => {
    const id = await clientId(platform);
    const code = await approvedCode(visitorOf(platform, ada), id);
    const first = (await exchange(platform, { client_id: id, code })).json;
    const me = async (token: string) => (await platform.api("GET", "/v1/me", { token })).status;
    assert.equal(await me(first.access_token), 200);
    const second = (await refresh(platform, id, first.refresh_token)).json;
    assert.notEqual(second.refresh_token, first.refresh_token);
    assert.deepEqual([await me(first.access_token), await me(second.access_token)], [401, 200]);
    assert.equal((await refresh(platform, "other", second.refresh_token)).status, 400);
    const replay = await refresh(platform, id, first.refresh_token);
    assert.deepEqual([replay.status, replay.json.error], [400, "invalid_grant"]);
    assert.equal(await me(second.access_token), 401);
    assert.equal((await refresh(platform, id, second.refresh_token)).status, 400);
  });
});

Deno.test("a read-only token cannot change anything, regardless of how it is used", async () => {
  await withAda(async (platform, ada) => {
    const id = await clientId(platform);
    const code = await approvedCode(visitorOf(platform, ada), id, "read");
    const { json: { access_token: token, scope } } = await exchange(platform, {
      client_id: id,
      code,
    });
    assert.equal(scope, "read");
    assert.equal((await platform.api("GET", "/v1/projects", { token })).status, 200);
    const made = await platform.api("POST", "/v1/projects", { token, json: { name: "x" } });
    assert.equal(made.status, 403);
    const account = await platform.api("GET", "/v1/account", { token });
    assert.equal(account.status, 403);
  });
});

Deno.test("browsers are redirected only to registered URLs", async () => {
  await withAda(async (platform, ada) => {
    const visitor = visitorOf(platform, ada);
    const id = await clientId(platform);
    const nowhere: readonly Record<string, string>[] = [
      { client_id: "forged.abc" },
      { client_id: `${id}x` },
      { client_id: id, redirect_uri: "https://evil.example/" },
      { client_id: id, redirect_uri: `${REDIRECT}/../evil` },
      { client_id: id, redirect_uri: "http://127.0.0.1:4711@evil.example/callback" },
      { client_id: id, state: "s".repeat(1025) },
    ];
    for (const fields of nowhere) {
      const page = await visitor.send("GET", authorizePath(fields));
      assert.deepEqual([page.status, page.headers.get("location")], [400, null], page.html);
    }
    const faulty: readonly [string, Record<string, string>][] = [
      ["invalid_request", { code_challenge_method: "plain" }],
      ["invalid_request", { code_challenge: "short" }],
      ["unsupported_response_type", { response_type: "token" }],
      ["invalid_target", { resource: "https://elsewhere.example/mcp" }],
    ];
    for (const [error, fields] of faulty) {
      const page = await visitor.send("GET", authorizePath({ client_id: id, ...fields }));
      assert.deepEqual([page.status, page.headers.get("location")], [400, null], error);
      assert.ok(page.html.includes(`(${error})`), page.html);
    }
    const port = authorizePath({ client_id: id, redirect_uri: "http://127.0.0.1:9/callback" });
    const { to } = await decide(visitor, port, { decision: "deny" });
    assert.deepEqual([to.port, to.searchParams.get("error")], ["9", "access_denied"]);
    const stranger = await new Visitor(platform).send("GET", authorizePath({ client_id: id }));
    assert.match(stranger.headers.get("location") ?? "", /^\/sign-in\?next=/);
    const forged = await visitor.send("POST", "/oauth/decision", {
      fields: { request: authorizePath({ client_id: id }).split("?")[1]!, decision: "approve" },
    });
    assert.equal(forged.headers.get("location"), null, "a form without its token has no effect");
  });
});

Deno.test("a token is valid only for this platform", async () => {
  await withAda(async (platform, ada) => {
    const id = await clientId(platform);
    const code = await approvedCode(visitorOf(platform, ada), id);
    const given = { client_id: id, code };
    const other = await exchange(platform, { ...given, resource: "https://elsewhere.example/mcp" });
    assert.deepEqual([other.status, other.json.error], [400, "invalid_target"]);
    const own = await exchange(platform, { ...given, resource: `${platform.url}/mcp` });
    assert.equal(own.status, 200, JSON.stringify(own.json));
  });
});

Deno.test("registration accepts only URLs to which it is safe to send a browser", async () => {
  await withPlatform(async (platform) => {
    const refused = [
      "javascript:alert(1)",
      "data:text/html,x",
      "http://example.com/",
      "https://a:b@example.com/",
      "https://example.com/#x",
      "/callback",
    ];
    for (const address of refused) {
      const { status, json } = await register(platform, { redirect_uris: [address] });
      assert.deepEqual([status, json.error], [400, "invalid_client_metadata"], address);
    }
    assert.equal((await register(platform, { redirect_uris: [] })).status, 400);
    const good = await register(platform, {
      redirect_uris: ["https://example.com/cb", "cursor://anysphere/cb", REDIRECT],
      client_name: "x".repeat(200),
    });
    assert.equal(good.status, 201);
    let limited = 0;
    for (let count = 0; count < 25; count++) {
      const { status, headers } = await register(platform, { redirect_uris: [REDIRECT] });
      if (status === 429) limited++;
      if (status === 429) assert.ok(Number(headers.get("retry-after")) > 0);
    }
    assert.ok(limited >= 5, `${limited} of 25 requests were refused`);
  });
});
