import assert from "node:assert/strict";
import { startDeviceLogin } from "./device_login.ts";
import { ApiError, ContractError, UnreachableError } from "./errors.ts";

const STARTED = {
  device_code: "device",
  user_code: "BCDF-GHJK",
  verification_uri: "http://platform.test/device",
  verification_uri_complete: "http://platform.test/device?code=BCDF-GHJK",
  expires_in: 300,
  interval: 5,
};
const TOKEN = {
  access_token: "token",
  token_type: "Bearer",
  workspace_slug: "acme",
  workspace_name: "Acme",
};

/**
 * Starts a login at a platform that sends prepared responses in order. Also returns the requests.
 */
function loginAt(answers: (Response | Error)[]) {
  const asked: Request[] = [];
  const login = startDeviceLogin("my tool", {
    baseUrl: "http://platform.test",
    signal: new AbortController().signal,
    now: () => 0,
    fetch: (input, init) => {
      asked.push(new Request(input, init));
      const next = answers.shift()!;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
  });
  return { asked, login };
}

const oauth = (error: string, status = 400, headers: HeadersInit = {}) =>
  Response.json({ error, error_description: `It is ${error}` }, { status, headers });

Deno.test("startDeviceLogin() sends forms as RFC 8628 specifies", async () => {
  const { asked, login } = loginAt([Response.json(STARTED), Response.json(TOKEN)]);
  assert.deepEqual(await (await login).poll(), { type: "token", token: TOKEN });
  const forms = await Promise.all(
    asked.map(async (request) => Object.fromEntries(await request.formData())),
  );
  assert.deepEqual(asked.map(({ url }) => new URL(url).pathname), [
    "/v1/device",
    "/v1/device/token",
  ]);
  assert.deepEqual(forms, [{ client_id: "my tool" }, {
    client_id: "my tool",
    device_code: "device",
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
  }]);
});

const POLLS: readonly (readonly [name: string, answer: Response | Error, type: string])[] = [
  ["there is no decision yet", oauth("authorization_pending"), "pending"],
  ["it polls too fast", oauth("slow_down"), "slow_down"],
  ["it was denied", oauth("access_denied"), "refused"],
  ["the code has expired", oauth("expired_token"), "refused"],
  ["the code is unknown", oauth("invalid_grant"), "refused"],
  ["there are too many logins", oauth("rate_limited", 429), "trouble"],
  ["a proxy responds", new Response("<h1>Bad gateway", { status: 502 }), "trouble"],
  ["the network is down", new TypeError("reset"), "trouble"],
];

for (const [name, answer, type] of POLLS) {
  Deno.test(`poll() returns ${type} when ${name}`, async () => {
    const { login } = loginAt([Response.json(STARTED), answer]);
    assert.equal((await (await login).poll()).type, type);
  });
}

Deno.test("poll() waits as long as Retry-After requires", async () => {
  const limited = oauth("rate_limited", 429, { "retry-after": "40" });
  const answer = await (await loginAt([Response.json(STARTED), limited]).login).poll();
  assert.ok(answer.type === "trouble");
  assert.equal(answer.wait, 40_000);
});

Deno.test("startDeviceLogin() reports why there is no code", async () => {
  const limited = loginAt([oauth("rate_limited", 429, { "retry-after": "7" })]).login;
  await assert.rejects(limited, (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.retryAfter, error.message], [
      "rate_limited",
      7000,
      "It is rate_limited",
    ]);
    return true;
  });
  await assert.rejects(loginAt([new TypeError("refused")]).login, UnreachableError);
  await assert.rejects(loginAt([Response.json({ odd: true })]).login, ContractError);
  await assert.rejects(loginAt([new Response("<h1>Not found", { status: 404 })]).login, ApiError);
});
