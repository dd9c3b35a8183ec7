/**
 * Sends tokens that are forged, belong to someone else, or are not meant for svc. No such token may
 * get a key.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { exportSPKI, importJWK } from "jose";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { githubClaims, gitlabClaims, startIssuer } from "../../helpers/ci_issuer.ts";
import { DISCOVERY_PATH, KEYS_PATH } from "../../helpers/ci_issuer.ts";
import { makeCertificate } from "../../../src/lib/_test_certificate.ts";
import { start, type TestPlatform, withPlatform } from "../../helpers/platform.ts";
import { askExchange, type CiPlatform, withCi } from "../../helpers/publishers.ts";

type Fields = Readonly<Record<string, string>>;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const seconds = (more: number) => Math.floor(Date.now() / 1000) + more;

/** Checks that a request is rejected with a reason and that no key is created. */
async function refused(platform: TestPlatform, fields: Fields, reason: RegExp, name: string) {
  const { status, json } = await askExchange(platform, fields);
  assert.equal(status, 400, `${name}: ${JSON.stringify(json)}`);
  assert.equal(json.error, "invalid_request", name);
  assert.match(json.error_description, reason, name);
  assert.equal(json.access_token, undefined, name);
}

async function onlyBootstrapKey(platform: TestPlatform): Promise<void> {
  const { json } = await platform.api("GET", "/v1/api-keys");
  assert.deepEqual(json.items.map(({ name }: { name: string }) => name), ["bootstrap"]);
}

/** Claims that differ from the trusted ones, each with the reason why it is rejected. */
const WRONG_CLAIMS: readonly (readonly [string, Fields | Record<string, unknown>, RegExp])[] = [
  [
    "another audience",
    { aud: "https://elsewhere.example" },
    /its audience is "https:\/\/elsewhere\.example"/,
  ],
  [
    "two audiences",
    { aud: ["AUDIENCE", "https://elsewhere.example"] },
    /its only audience must be \S+/,
  ],
  ["no audience", { aud: undefined }, /its only audience must be \S+/],
  [
    "another repository",
    { repository: "octo-org/other" },
    /no trusted publisher for octo-org\/o/,
  ],
  ["a fork", { repository: "mallory/octo-repo" }, /no trusted publisher for mallory/],
  ["a longer name", { repository: "octo-org/octo-repo-2" }, /no trusted publisher for/],
  ["another branch", { ref: "refs/heads/feature" }, /does not trust the branch feature/],
  ["a branch below", { ref: "refs/heads/main/x" }, /does not trust the branch main\/x/],
  ["a branch named as a ref", { ref: "refs/heads/refs/heads/main" }, /branch refs\/heads\/main/],
  ["a tag called main", { ref: "refs/tags/main", ref_type: "tag" }, /does not trust the tag main/],
  ["a tag whose ref_type is branch", { ref: "refs/tags/main" }, /does not trust the tag main/],
  ["no ref", { ref: "main" }, /is not a branch, tag or pull request/],
  [
    "a pull request",
    { ref: "refs/pull/7/merge", event_name: "pull_request" },
    /does not trust the pull request/,
  ],
  ["a pull request on main", { event_name: "pull_request" }, /does not trust the pull request/],
  [
    "a pull_request_target",
    { event_name: "pull_request_target" },
    /pull_request_target workflows cannot get keys/,
  ],
  ["another environment", { environment: "staging" }, /trusts the environment production/],
  ["no environment", { environment: undefined }, /the job has none/],
  [
    "another workflow",
    { workflow_ref: "octo-org/octo-repo/.github/workflows/x.yml@refs/heads/main" },
    /trusts the workflow deploy\.yml, but this is x\.yml/,
  ],
  [
    "another repository's workflow",
    { workflow_ref: "mallory/octo-repo/.github/workflows/deploy.yml@refs/heads/main" },
    /this is another/,
  ],
  [
    "a workflow with a longer name",
    { workflow_ref: "octo-org/octo-repo/.github/workflows/deploy.yml.yml@refs/heads/main" },
    /this is deploy\.yml\.yml/,
  ],
  ["another subject", { sub: "repo:octo-org/octo-repo:environment:x" }, /trusts the subject/],
  ["expired", { exp: seconds(-60) }, /has expired/],
  ["not yet", { nbf: seconds(600) }, /is not valid yet/],
  ["from the future", { iat: seconds(600), nbf: undefined }, /issued in the future/],
  ["no expiry", { exp: undefined }, /exp claim/],
  ["an expiry that is text", { exp: "2099-01-01" }, /exp claim/],
  ["no id", { jti: undefined }, /jti claim is missing/],
  ["a long id", { jti: "j".repeat(400) }, /./],
  ["another issuer", { iss: "https://gitlab.com" }, /no trusted publisher with the issuer/],
  ["an issuer with a slash", { iss: "ISSUER/" }, /no trusted publisher with the issuer/],
  ["no issuer", { iss: undefined }, /iss claim is missing/],
  ["an issuer that is a list", { iss: ["ISSUER"] }, /iss claim is missing/],
  ["GitLab claims", { repository: undefined, project_path: "octo-org/octo-repo" }, /repository/],
  ["a repository that is a list", { repository: ["octo-org/octo-repo"] }, /claims repository/],
];

const WANTED = {
  branch: "main",
  environment: "production",
  workflow: "deploy.yml",
  subject: "repo:octo-org/octo-repo:ref:*",
};

Deno.test("tokens whose claims do not match a trusted workflow get no key", () =>
  withCi(async ({ platform, issuer, audience, trust }) => {
    await trust(WANTED);
    for (const [name, claims, reason] of WRONG_CLAIMS) {
      const whole = JSON.parse(
        JSON.stringify(claims, (_, value) => value === undefined ? "\0" : value)
          .replaceAll("AUDIENCE", audience).replaceAll("ISSUER", issuer.url),
        (_, value) => value === "\0" ? undefined : value,
      );
      const missing = Object.fromEntries(
        Object.keys(claims).filter((key) => !(key in whole)).map((key) => [key, undefined]),
      );
      const trusted = githubClaims(audience, { environment: "Production", ...whole, ...missing });
      await refused(platform, { subject_token: await issuer.sign(trusted) }, reason, name);
    }
    await onlyBootstrapKey(platform);
    const good = await issuer.sign(githubClaims(audience, { environment: "Production" }));
    assert.equal(
      (await askExchange(platform, { subject_token: good })).status,
      200,
      "the correct claims get a key",
    );
  }));

/** Creates tokens with an invalid signature or format. */
async function forgeries({ issuer, audience }: CiPlatform): Promise<[string, string, RegExp][]> {
  await using stranger = await startIssuer();
  const claims = { iss: issuer.url, ...githubClaims(audience), iat: seconds(0), exp: seconds(300) };
  const good = await issuer.sign(claims);
  const [head = "", body = "", signature = ""] = good.split(".");
  const pem = await exportSPKI(await importJWK(issuer.keys[0]!, "RS256") as never);
  const hmac = (alg: string, key: string) => {
    const text = `${encode({ alg, typ: "JWT", kid: "first" })}.${encode(claims)}`;
    return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
  };
  const kids = ["../../etc/passwd", "first\0", "first ", "FIRST", "__proto__", "' OR 1=1 --"];
  const unknown = await Promise.all(kids.map(async (kid): Promise<[string, string, RegExp]> => [
    `the kid ${kid}`,
    await issuer.sign(claims, { header: { kid } }),
    /has no key/,
  ]));
  const none = (alg: string) => `${encode({ alg, kid: "first" })}.${encode(claims)}.`;
  return [
    ["alg none", none("none"), /its alg must be RS256 or ES256/],
    ["alg None", none("None"), /its alg must be/],
    ["no alg", `${encode({ kid: "first" })}.${encode(claims)}.`, /its alg must be/],
    ["HS256 with the public key", hmac("HS256", pem), /its alg must be/],
    ["RS256 with an HMAC signature", hmac("RS256", pem), /its signature is wrong/],
    ["ES256 with an RSA key", hmac("ES256", pem), /not signed by the issuer/],
    ["a list as alg", `${encode({ alg: ["RS256"], kid: "first" })}.${body}.${signature}`, /alg/],
    ["no kid", `${encode({ alg: "RS256" })}.${body}.${signature}`, /its key ID \(kid\) is missing/],
    ["another issuer's key", await stranger.sign(claims), /its signature is wrong/],
    [
      "a key in the token's header",
      await stranger.sign(claims, { header: { jwk: stranger.keys[0], jku: stranger.url } }),
      /its signature is wrong/,
    ],
    [
      "a critical header field",
      `${encode({ alg: "RS256", kid: "first", crit: ["exp"], exp: 1 })}.${body}.${signature}`,
      /not signed by the issuer/,
    ],
    [
      "another body",
      `${head}.${encode({ ...claims, sub: "x" })}.${signature}`,
      /signature is wrong/,
    ],
    ["no signature", `${head}.${body}.`, /signature is wrong/],
    ["a cut signature", good.slice(0, -20), /signature is wrong/],
    ["two parts", `${head}.${body}`, /not a JSON Web Token|not signed by the issuer/],
    ["five parts", `${head}.${body}.${signature}.a.b`, /./],
    ["no token", "nonsense", /not a JSON Web Token/],
    ["an empty token", "..", /not a JSON Web Token/],
    ["a header that is not JSON", `!!!.${body}.${signature}`, /not a JSON Web Token/],
    ["a body that is a list", `${head}.${encode([claims])}.${signature}`, /not a JSON Web Token/],
    ["a long kid", await issuer.sign(claims, { header: { kid: "k".repeat(2000) } }), /./],
    ["a huge token", `${head}.${"A".repeat(12_000)}.${signature}`, /at most 12000 characters/],
    ...unknown,
  ];
}

Deno.test("forged and altered tokens get no key", () =>
  withCi(async (parts) => {
    const { platform, issuer, audience, trust } = parts;
    await trust();
    for (const [name, subject_token, reason] of await forgeries(parts)) {
      const { status, json } = await askExchange(platform, { subject_token });
      assert.equal(status, 400, `${name}: ${JSON.stringify(json)}`);
      assert.match(json.error_description, reason, name);
    }
    await onlyBootstrapKey(platform);
    const subject_token = await issuer.sign(githubClaims(audience));
    assert.equal((await askExchange(platform, { subject_token })).status, 200);
    await refused(platform, { subject_token }, /it was already exchanged/, "sent again");
  }));

Deno.test("a token sent many times at once gets a single key", () =>
  withCi(async ({ platform, issuer, audience, trust }) => {
    await trust();
    const subject_token = await issuer.sign(githubClaims(audience));
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => askExchange(platform, { subject_token })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(400)]);
  }));

Deno.test("a repository that has taken over a trusted repository's name is refused", () =>
  withCi(async ({ platform, issuer, audience, trust }) => {
    await trust({ branch: "main" });
    const first = await issuer.sign(githubClaims(audience));
    assert.equal((await askExchange(platform, { subject_token: first })).status, 200);
    await trust({ branch: "feature" });
    for (const ref of ["refs/heads/main", "refs/heads/feature"]) {
      const claims = githubClaims(audience, { repository_id: "75", ref });
      const subject_token = await issuer.sign(claims);
      await refused(platform, { subject_token }, /ID 74.*ID 75.*add it again/, ref);
    }
  }));

Deno.test("merge request pipelines do not count as pushes, regardless of their branch", () =>
  withCi(async ({ platform, issuer, audience, trust }) => {
    await trust({ provider: "gitlab", repository: "my-group/sub/my-project", branch: "main" });
    for (const pipeline_source of ["merge_request_event", "external_pull_request_event"]) {
      const claims = gitlabClaims({ audience, issuer: issuer.url }, { pipeline_source });
      const subject_token = await issuer.sign(claims);
      await refused(
        platform,
        { subject_token },
        /does not trust the pull request main/,
        pipeline_source,
      );
    }
  }));

Deno.test("requests that are not a token exchange are refused", () =>
  withCi(async ({ platform, issuer, audience, trust }) => {
    await trust();
    const subject_token = await issuer.sign(githubClaims(audience));
    const wrong: readonly (readonly [Fields, RegExp])[] = [
      [{ subject_token, subject_token_type: "urn:ietf:params:oauth:token-type:saml2" }, /type/],
      [{ subject_token, requested_token_type: "urn:x" }, /requested_token_type/],
      [{ subject_token, actor_token: subject_token }, /actor_token: Must be left out/],
      [{ subject_token, workspace: "" }, /workspace: Required/],
      [{ subject_token, workspace: "elsewhere" }, /has no trusted publisher/],
      [{}, /subject_token: Required/],
    ];
    for (const [fields, reason] of wrong) {
      await refused(platform, fields, reason, JSON.stringify(fields).slice(0, 200));
    }
    await onlyBootstrapKey(platform);
  }));

Deno.test("an issuer without a valid key set is refused, and its redirects are not followed", () =>
  withCi(async ({ platform, audience, trust }) => {
    const json = (value: unknown) => () => Response.json(value);
    const to = (url: string) => () => Response.redirect(url, 302);
    const private_ = "http://169.254.169.254/latest/meta-data/";
    const wrong: readonly (readonly [string, string, () => Response, RegExp])[] = [
      ["keys redirect", KEYS_PATH, to(private_), /status 302, and redirects are not followed/],
      ["the document redirects", DISCOVERY_PATH, to(private_), /status 302/],
      ["another's document", DISCOVERY_PATH, json({ issuer: "x", jwks_uri: "x" }), /it is for "x"/],
      ["no document", DISCOVERY_PATH, json([]), /has no jwks_uri/],
      ["no JSON", DISCOVERY_PATH, () => new Response("<html>"), /Cannot read/],
      ["no keys", KEYS_PATH, json({}), /not a key set/],
      ["a huge set", KEYS_PATH, json({ keys: [], pad: "x".repeat(300_000) }), /larger than/],
      ["many keys", KEYS_PATH, json({ keys: Array(200).fill({}) }), /not a key set/],
      [
        "a shared secret",
        KEYS_PATH,
        json({ keys: [{ kty: "oct", kid: "first", k: "c2VjcmV0" }] }),
        /has no key "first"/,
      ],
      [
        "a weak key",
        KEYS_PATH,
        json({ keys: [{ kty: "RSA", kid: "first", n: "AQAB", e: "AQAB" }] }),
        /./,
      ],
    ];
    for (const [name, path, answer, reason] of wrong) {
      await using issuer = await startIssuer();
      await trust({ issuer: issuer.url });
      issuer.answers.set(path, answer);
      const subject_token = await issuer.sign(githubClaims(audience));
      await refused(platform, { subject_token }, reason, name);
    }
    await using issuer = await startIssuer();
    await using other = await startIssuer();
    await trust({ issuer: issuer.url });
    const jwks_uri = `${other.url}${KEYS_PATH}`;
    issuer.answers.set(DISCOVERY_PATH, json({ issuer: issuer.url, jwks_uri }));
    const subject_token = await issuer.sign(githubClaims(audience));
    await refused(platform, { subject_token }, /jwks_uri is on another host/, "keys elsewhere");
    assert.deepEqual(other.asked, []);
    await onlyBootstrapKey(platform);
  }));

Deno.test("issuers at private addresses are not contacted unless this is allowed", async () => {
  const folder = await makeTestFolder("svc-publishers-");
  const { certFile, keyFile } = await makeCertificate(folder, "issuer", ["DNS:localhost"]);
  const [cert, key] = [await Deno.readTextFile(certFile), await Deno.readTextFile(keyFile)];
  await using issuer = await startIssuer("", { cert, key });
  const platform = await start(`${folder}/data`, { upstreamCa: [cert] });
  try {
    const add = (url: string) =>
      platform.api("POST", "/v1/trusted-publishers", {
        json: {
          provider: "github",
          repository: "octo-org/octo-repo",
          issuer: url,
          permissions: ["read"],
        },
      });
    assert.equal((await add("http://issuer.example")).status, 400);
    assert.equal((await add(issuer.url)).status, 201);
    const audience = new URL(platform.url).origin;
    const subject_token = await issuer.sign(githubClaims(audience));
    await refused(platform, { subject_token }, /Cannot read https:\/\/localhost/, "a private one");
    assert.deepEqual(issuer.asked, []);
  } finally {
    await platform.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("publishers are validated when they are added, and belong to their workspace", () =>
  withPlatform(async (platform) => {
    const good = { provider: "github", repository: "acme/shop", permissions: ["read"] };
    const wrong: readonly (readonly [string, Record<string, unknown>])[] = [
      ["repository", { repository: "acme" }],
      ["repository", { repository: "acme/shop/more" }],
      ["repository", { repository: "../.." }],
      ["repository", { repository: "acme/shop\u202e" }],
      ["issuer", { issuer: "https://issuer.example/" }],
      ["issuer", { issuer: "https://user@issuer.example" }],
      ["issuer", { issuer: "https://issuer.example?x=1" }],
      ["issuer", { issuer: "file:///etc/passwd" }],
      ["branch", { branch: "" }],
      ["branch", { branch: "*".repeat(20) }],
      ["workflow", { workflow: "deploy.yml@refs/heads/main" }],
      ["permissions", { permissions: [] }],
      ["permissions", { permissions: ["all"] }],
      ["keySeconds", { keySeconds: 86_400 }],
      ["body", { unknown: true }],
    ];
    for (const [field, more] of wrong) {
      const { status, json } = await platform.api("POST", "/v1/trusted-publishers", {
        json: { ...good, ...more },
      });
      assert.equal(status, 400, JSON.stringify(more));
      assert.ok(JSON.stringify(json.problems).includes(field), JSON.stringify(json));
    }
    const { status } = await platform.api("POST", "/v1/trusted-publishers", {
      json: { ...good, projects: ["019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e01"] },
    });
    assert.equal(status, 404, "projects must be in the workspace");
    for (let count = 0; count < 100; count++) {
      await platform.api("POST", "/v1/trusted-publishers", { json: good });
    }
    const most = await platform.api("POST", "/v1/trusted-publishers", { json: good });
    assert.equal(most.status, 409);
    assert.match(most.json.error, /has the maximum of 100 trusted publishers/);
  }));
