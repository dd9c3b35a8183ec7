/**
 * Sends a deploy hook payloads that no forge would send. Each payload must be rejected, deploy
 * nothing, and leave nothing behind.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type HookPlatform, withHooks } from "../../helpers/deploy_hooks.ts";
import { listing, newConnections } from "../../helpers/hostile_push.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { TOKEN } from "../../helpers/platform.ts";

/** Maximum number of calls to a hook. A hook accepts thirty calls per minute. */
const CALLS_OF_HOOK = 28;

const SHA = "a".repeat(40);
const BODY = JSON.stringify({ ref: "refs/heads/main", after: SHA });

interface Secrets {
  readonly secret: string;
  /** The token in the hook's URL. */
  readonly token: string;
}

interface Attack {
  readonly name: string;
  readonly headers: (secrets: Secrets) => Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
  readonly says: RegExp;
}

const hmac = (secret: string, body: string, algorithm = "sha256") =>
  createHmac(algorithm, secret).update(body).digest("hex");

const json = { "content-type": "application/json" };

/** Each forge's name for push events, and its signature header. */
const SIGNING = {
  GitHub: { event: ["x-github-event", "push"], field: "x-hub-signature-256" },
  "Bitbucket Cloud": { event: ["x-event-key", "repo:push"], field: "x-hub-signature" },
  "Bitbucket Data Center": {
    event: ["x-event-key", "repo:refs_changed"],
    field: "x-hub-signature",
  },
  Gitea: { event: ["x-gitea-event", "push"], field: "x-gitea-signature" },
  Forgejo: { event: ["x-forgejo-event", "push"], field: "x-forgejo-signature" },
} as const;

/** Invalid signatures. */
const FORGED: Readonly<Record<string, (secrets: Secrets) => string>> = {
  "an empty signature": () => "",
  "the name of the algorithm alone": () => "sha256=",
  "another secret": () => `sha256=${hmac("guessed", BODY)}`,
  "an empty secret": () => `sha256=${hmac(" ", BODY)}`,
  "a signature for another body": ({ secret }) => `sha256=${hmac(secret, `${BODY} `)}`,
  "a signature for an empty body": ({ secret }) => `sha256=${hmac(secret, "")}`,
  "a missing digit": ({ secret }) => `sha256=${hmac(secret, BODY).slice(0, -1)}`,
  "an extra digit": ({ secret }) => `sha256=${hmac(secret, BODY)}0`,
  "SHA-1": ({ secret }) => `sha1=${hmac(secret, BODY, "sha1")}`,
  "SHA-512": ({ secret }) => `sha512=${hmac(secret, BODY, "sha512")}`,
  "the secret itself": ({ secret }) => secret,
  "the URL's token": ({ token }) => `sha256=${hmac(token, BODY)}`,
  "two signatures": ({ secret }) => `sha256=${hmac("x", BODY)}, sha256=${hmac(secret, BODY)}`,
};

const NOT_SIGNED = { status: 403, says: /not signed with this hook's secret/ };

function forgedAttacks(): Attack[] {
  return Object.entries(SIGNING).flatMap(([forge, { event: [field, event], field: signed }]) => [
    {
      name: `${forge}: no signature`,
      body: BODY,
      ...NOT_SIGNED,
      headers: () => ({ ...json, [field]: event }),
    },
    ...Object.entries(FORGED).map(([name, sign]) => ({
      name: `${forge}: ${name}`,
      body: BODY,
      ...NOT_SIGNED,
      headers: (secrets: Secrets) => ({ ...json, [field]: event, [signed]: sign(secrets) }),
    })),
  ]);
}

function tokenAttacks(): Attack[] {
  const tokens: Readonly<Record<string, (secrets: Secrets) => Record<string, string>>> = {
    "no token": () => ({}),
    "an empty token": () => ({ "x-gitlab-token": "" }),
    "another token": () => ({ "x-gitlab-token": "guessed" }),
    "half the token": ({ secret }) => ({ "x-gitlab-token": secret.slice(0, 32) }),
    "the token twice": ({ secret }) => ({ "x-gitlab-token": `${secret}${secret}` }),
    "the URL's token": ({ token }) => ({ "x-gitlab-token": token }),
    "a signature as the token": ({ secret }) => ({ "x-gitlab-token": hmac(secret, BODY) }),
    "a wrong token next to a valid signature": ({ secret }) => ({
      "x-gitlab-token": "guessed",
      "x-hub-signature-256": `sha256=${hmac(secret, BODY)}`,
    }),
    "the token as a bearer token": ({ secret }) => ({ authorization: `Bearer ${secret}` }),
  };
  return [
    ...Object.entries(tokens).map(([name, fields]) => ({
      name: `GitLab: ${name}`,
      body: BODY,
      ...NOT_SIGNED,
      headers: (secrets: Secrets) => ({
        ...json,
        "x-gitlab-event": "Push Hook",
        ...fields(secrets),
      }),
    })),
    {
      name: "no forge and no signature",
      body: '{"branch":"main"}',
      ...NOT_SIGNED,
      headers: () => json,
    },
  ];
}

/** Creates an attack whose body has a valid signature. */
const signed = (
  name: string,
  body: string,
  outcome: Pick<Attack, "status" | "says">,
  fields: Readonly<Record<string, string>> = {},
): Attack => ({
  name,
  body,
  ...outcome,
  headers: ({ secret }) => ({
    ...json,
    "x-github-event": "push",
    "x-hub-signature-256": `sha256=${hmac(secret, body)}`,
    ...fields,
  }),
});

const INVALID = { status: 400, says: /Cannot read|Send JSON/ };
const IGNORED = {
  status: 202,
  says: /not allowed|is not a branch|fork|Ignored the event|Nothing changed/,
};

const BRANCHES: readonly string[] = [
  "../../etc/passwd",
  "--upload-pack=touch /tmp/x",
  "-x",
  "a\u0000b",
  "a\nb",
  "a b",
  "a..b",
  "a.lock",
  ".git",
  "@{-1}",
  "a\\b",
  "a:b",
  "a~1",
  "main\u202e",
  "x".repeat(9000),
  "$(touch /tmp/x)/../y",
  "*",
  "",
];

const REFS = [
  "main",
  "refs/tags/v1",
  "refs/notes/x",
  "HEAD",
  "refs/remotes/origin/main",
  "REFS/HEADS/main",
];

const JSON_FAULTS: Readonly<Record<string, string>> = {
  "nothing": "",
  "half an object": "{",
  "9,000 open lists": "[".repeat(9000),
  "100 nested lists": "[".repeat(100) + "]".repeat(100),
  "1,000 nested objects": '{"a":'.repeat(1000) + "1" + "}".repeat(1000),
  "a comment": '{"ref":"refs/heads/main"/**/}',
  "a number": "1",
  "null": "null",
  "a list": "[]",
  "a string": '"refs/heads/main"',
  "a ref that is a list": JSON.stringify({ ref: ["refs/heads/main"], after: SHA }),
  "a ref that is an object": JSON.stringify({ ref: { $ne: 1 }, after: SHA }),
  "a SHA that is an object": JSON.stringify({ ref: "refs/heads/main", after: {} }),
  "a prototype instead of fields": '{"__proto__":{"ref":"refs/heads/main","after":"a"}}',
  "a constructor": '{"constructor":{"prototype":{"ref":"refs/heads/main"}}}',
  "a deletion that is a string": JSON.stringify({
    ref: "refs/heads/main",
    after: SHA,
    deleted: "x",
  }),
};

const pullRequest = (more: Readonly<Record<string, unknown>>) =>
  JSON.stringify({
    action: "opened",
    number: 7,
    pull_request: {
      state: "open",
      head: { ref: "main", repo: { full_name: "ada/site" } },
      base: { ref: "main", repo: { full_name: "ada/site" } },
    },
    ...more,
  });

function signedAttacks(): Attack[] {
  const pull = { "x-github-event": "pull_request" };
  const fork = (repo: unknown) =>
    pullRequest({
      pull_request: {
        state: "open",
        head: { ref: "main", repo },
        base: { ref: "main", repo: { full_name: "ada/site" } },
      },
    });
  const form = { "content-type": "application/x-www-form-urlencoded" };
  return [
    ...Object.entries(JSON_FAULTS).map(([name, body]) => signed(`JSON: ${name}`, body, INVALID)),
    ...BRANCHES.map((branch) =>
      signed(
        `the branch ${JSON.stringify(branch.slice(0, 40))}`,
        JSON.stringify({ ref: `refs/heads/${branch}`, after: SHA }),
        IGNORED,
      )
    ),
    ...REFS.map((ref) => signed(`the ref ${ref}`, JSON.stringify({ ref, after: SHA }), IGNORED)),
    ...[
      "text/plain",
      "application/xml",
      "multipart/form-data; boundary=x",
      "application/jsonp",
      "x",
    ]
      .map((type) => signed(`the type ${type}`, BODY, INVALID, { "content-type": type })),
    signed("a form without its field", "other=1", INVALID, form),
    signed("a form with invalid JSON", "payload=%7B%22", INVALID, form),
    signed("a form with a list", "payload=%5B%5D", INVALID, form),
    signed("5 MiB and a byte", " ".repeat(5 * 1024 * 1024 + 1), {
      status: 413,
      says: /at most|too large/,
    }),
    signed("a pull request from a fork", fork({ full_name: "eve/shop" }), IGNORED, pull),
    signed("a pull request without a repository", fork(null), IGNORED, pull),
    signed("a pull request with a negative number", pullRequest({ number: -1 }), INVALID, pull),
    signed("a pull request with the number 1.5", pullRequest({ number: 1.5 }), INVALID, pull),
    signed("a pull request with the number 1e300", pullRequest({ number: 1e300 }), INVALID, pull),
    signed("a pull request without branches", pullRequest({ pull_request: {} }), INVALID, pull),
    signed("the deletion of ../main", '{"ref":"../main","ref_type":"branch"}', IGNORED, {
      "x-github-event": "delete",
    }),
    signed("an event name of 5,000 letters", BODY, IGNORED, { "x-github-event": "x".repeat(5000) }),
    signed("an event named __proto__", BODY, IGNORED, { "x-github-event": "__proto__" }),
    signed("an event from another forge", BODY, IGNORED, { "x-event-key": "repo:steal" }),
  ];
}

/** Sends attacks. Switches to a new hook before the current one has been called too many times. */
async function send(platform: HookPlatform, attacks: readonly Attack[]): Promise<string[]> {
  const faults: string[] = [];
  using client = newConnections();
  let hook = await platform.hook({ signed: true });
  for (const [index, { name, headers, body, status, says }] of attacks.entries()) {
    if (index % CALLS_OF_HOOK === CALLS_OF_HOOK - 1) hook = await platform.hook({ signed: true });
    const { pathname } = new URL(hook.url);
    const secrets = { secret: hook.secret, token: pathname.split("/").at(-1)! };
    const response = await fetch(`http://127.0.0.1:${platform.port}${pathname}`, {
      method: "POST",
      client,
      headers: headers(secrets),
      body,
    }).catch((error) => {
      // The connection may be closed before a long body has been sent completely, so the response
      // may be lost.
      if (body.length < 1_000_000) throw error;
      return undefined;
    });
    if (response === undefined) continue;
    const text = await response.text();
    const isKept = text.includes(secrets.secret) || text.includes(secrets.token);
    if (response.status === status && says.test(text) && !/"id":/.test(text) && !isKept) continue;
    faults.push(`${name}: ${response.status} ${text.slice(0, 300)}`);
  }
  return faults;
}

Deno.test("130 hostile payloads are refused with a message and change no deployment", () =>
  withHooks(async (platform) => {
    const { api, dataDir, ended, trigger, hook, repository } = platform;
    const commitSha = await repository.git("rev-parse", "main");
    const live = await trigger((await hook()).url, { branch: "main", commitSha });
    await ended(live);
    const attacks = [...forgedAttacks(), ...tokenAttacks(), ...signedAttacks()];
    assert.equal(new Set(attacks.map(({ name }) => name)).size, attacks.length);
    assert.ok(attacks.length >= 130, String(attacks.length));
    const before = await listing(dataDir);
    assert.deepEqual(await send(platform, attacks), []);
    await until(() => listing(dataDir), (now) => now.join() === before.join());
    const { json: list } = await api("GET", "/v1/projects/shop/deployments");
    assert.deepEqual(
      list.items.map(({ id, status }: Record<string, unknown>) => [id, status]),
      [[live.json.id, "LIVE"]],
    );
  }));

Deno.test("a hook's secrets work only for that hook, and no other secret works for it", () =>
  withHooks(async ({ api, hook, trigger, ended, repository }) => {
    const commitSha = await repository.git("rev-parse", "main");
    using client = newConnections();
    const { id, url, secret } = await hook({ signed: true });
    const token = new URL(url).pathname.split("/").at(-1)!;
    for (const key of [token, secret, url]) {
      const { status } = await api("GET", "/v1/projects", { token: key });
      assert.equal(status, 401, "a hook's token gives no access to the API");
    }
    const plain = await hook({ name: "plain" });
    const answer = await trigger(plain.url, { branch: "main", commitSha });
    await ended(answer);
    const ticket = new URL(answer.json.statusUrl).pathname;
    const body = { json: { branch: "main", commitSha }, token: null, client };
    const tried = [
      TOKEN,
      secret,
      id,
      "0".repeat(64),
      token.slice(1),
      `${token}0`,
      token.toUpperCase(),
      "..%2f..",
      "%00",
      "*",
      "x".repeat(5000),
      ticket.split("/").at(-1)!,
    ];
    for (const word of tried) {
      const { status } = await api("POST", `/v1/hooks/${word}`, body);
      assert.ok([401, 404, 414].includes(status), `${word.slice(0, 70)}: ${status}`);
    }
    // Changes a letter other than the last one, which encodes fewer than six bits.
    const altered = ticket.replace(/.(?=.{9}$)/, (letter) => letter === "A" ? "B" : "A");
    for (const word of [token, altered, id, answer.json.id]) {
      const path = `/v1/triggered-deployments/${word.split("/").at(-1)}`;
      assert.equal((await api("GET", path, { token: null })).status, 404, path);
    }
    const { json: renewed } = await api("POST", `/v1/deploy-hooks/${plain.id}/regenerate`);
    assert.equal(
      (await trigger(plain.url, { branch: "main", commitSha })).status,
      401,
      "the hook was regenerated",
    );
    await api("DELETE", `/v1/deploy-hooks/${plain.id}`);
    assert.equal(
      (await trigger(renewed.url, { branch: "main", commitSha })).status,
      401,
      "the hook was deleted",
    );
  }));
