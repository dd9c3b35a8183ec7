import assert from "node:assert/strict";
import { findJobIdentity } from "./job_identity.ts";
import { JobKeys } from "./job_key.ts";

const API = "https://svc.example.com";
const RUNNER = "https://runner.example.net/token?api-version=2.0";
const GITHUB = { type: "github", url: RUNNER, secret: "of the runner" } as const;
const GITLAB = { type: "gitlab", token: "of the job" } as const;

/** Creates a `fetch` that acts as both a runner and a platform. */
function bench(identity: typeof GITHUB | typeof GITLAB, apiUrl = API) {
  const state = { now: Date.UTC(2026, 10, 23), tokens: 0, keys: 0, refuse: false };
  const asked: { readonly url: URL; readonly request: Request }[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    const request = new Request(input, init);
    asked.push({ url: new URL(request.url), request });
    if (request.url.startsWith("https://runner.")) {
      return Promise.resolve(Response.json({ value: `token ${++state.tokens}` }));
    }
    if (state.refuse) {
      const refusal = { error: "invalid_request", error_description: "Token was refused: old" };
      return Promise.resolve(Response.json(refusal, { status: 400 }));
    }
    return Promise.resolve(Response.json({
      access_token: `key ${++state.keys}`,
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: 900,
      expires_at: new Date(state.now + 900_000).toISOString(),
      scope: "read",
      workspace_slug: "acme",
    }));
  };
  const { signal } = new AbortController();
  const keys = new JobKeys(identity, { apiUrl, fetch, signal, now: () => state.now });
  return { state, asked, keys };
}

const ENVIRONMENTS = [
  ["nothing", {}, undefined],
  ["a runner without a token", { ACTIONS_ID_TOKEN_REQUEST_URL: RUNNER }, undefined],
  ["an empty token", { SVC_ID_TOKEN: "" }, undefined],
  ["GitLab", { SVC_ID_TOKEN: "of the job" }, GITLAB],
  [
    "GitHub",
    { ACTIONS_ID_TOKEN_REQUEST_URL: RUNNER, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of the runner" },
    GITHUB,
  ],
] as const;

for (const [name, env, identity] of ENVIRONMENTS) {
  Deno.test(`findJobIdentity() of ${name}`, () => {
    assert.deepEqual(findJobIdentity(env), identity);
  });
}

Deno.test("JobKeys requests one key for all calls, and a new one before it expires", async () => {
  const { state, asked, keys } = bench(GITHUB);
  const all = await Promise.all(Array.from({ length: 5 }, () => keys.key("acme", "shop")));
  assert.deepEqual([...new Set(all)], ["key 1"]);
  state.now += 800_000;
  assert.equal(await keys.key("acme", "shop"), "key 1");
  state.now += 50_000;
  const renewed = await Promise.all([keys.key("acme", "shop"), keys.key("acme", "shop")]);
  assert.deepEqual(renewed, ["key 2", "key 2"]);
  assert.equal(state.tokens, 2, "a token for each exchange");
  const [runner, platform] = asked;
  assert.equal(runner!.url.searchParams.get("audience"), API);
  assert.equal(runner!.request.redirect, "error");
  assert.equal(runner!.request.headers.get("authorization"), "Bearer of the runner");
  assert.equal(platform!.request.headers.get("authorization"), null);
  const fields = new URLSearchParams(await platform!.request.text());
  assert.deepEqual(
    [fields.get("subject_token"), fields.get("workspace"), fields.get("project")],
    ["token 1", "acme", "shop"],
  );
});

Deno.test("JobKeys reports why there is no key, and retries the next time", async () => {
  const { state, asked, keys } = bench(GITLAB);
  await assert.rejects(keys.key(undefined, undefined), /it has no workspace/);
  assert.deepEqual(asked, []);
  state.refuse = true;
  await assert.rejects(keys.key("acme", undefined), /for this job: Token was refused: old/);
  state.refuse = false;
  assert.equal(await keys.key("acme", undefined), "key 1");
});

Deno.test("JobKeys never sends a token where others can read it", async () => {
  for (const identity of [GITHUB, GITLAB]) {
    const { asked, keys } = bench(identity, "http://svc.example.com");
    await assert.rejects(keys.key("acme", undefined), /http:\/\/svc\.example\.com is not https/);
    assert.deepEqual(asked, []);
  }
  const { asked, keys } = bench({ ...GITHUB, url: "http://runner.example.net/" } as never);
  await assert.rejects(keys.key("acme", undefined), /is not an https URL/);
  assert.deepEqual(asked, []);
});
