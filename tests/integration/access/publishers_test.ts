/** Exchanges the tokens of GitHub Actions and GitLab CI jobs for keys. */
import assert from "node:assert/strict";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { githubClaims, gitlabClaims, startIssuer } from "../../helpers/ci_issuer.ts";
import { askExchange, withCi } from "../../helpers/publishers.ts";
import { createProject, deploy, start } from "../../helpers/platform.ts";

const FILES = { "index.html": "<h1>published</h1>" };

Deno.test("a GitHub workflow gets a 15-minute key that can deploy and nothing else", () =>
  withCi(async ({ platform, issuer, audience, trust }) => {
    const shop = await createProject(platform, "shop");
    await createProject(platform, "blog");
    const publisher = await trust({
      branch: "main",
      permissions: ["deploy-production"],
      projects: [shop.id],
    });
    const before = Date.now();
    const { status, json, headers } = await askExchange(platform, {
      subject_token: await issuer.sign(githubClaims(audience)),
    });
    assert.equal(status, 200, JSON.stringify(json));
    assert.equal(headers.get("cache-control"), "no-store");
    assert.deepEqual(
      [json.token_type, json.expires_in, json.scope, json.workspace_slug, json.issued_token_type],
      [
        "Bearer",
        900,
        "deploy-production",
        "default",
        "urn:ietf:params:oauth:token-type:access_token",
      ],
    );
    const lives = Date.parse(json.expires_at) - before;
    assert.ok(lives > 800_000 && lives < 1_000_000, String(lives));

    const byKey = {
      api: (method: string, path: string, options = {}) =>
        platform.api(method, path, { ...options, token: json.access_token }),
    };
    const { json: me } = await byKey.api("GET", "/v1/me");
    assert.deepEqual(me.grant.permissions, ["deploy-production"]);
    assert.deepEqual(me.grant.projects, [shop.id]);
    assert.equal((await deploy(byKey, "shop", { files: FILES })).status, "LIVE");
    assert.equal((await byKey.api("GET", "/v1/projects/blog")).status, 404);
    assert.equal((await byKey.api("GET", "/v1/api-keys")).status, 403);

    const { json: audit } = await platform.api("GET", "/v1/audit?action=exchangeToken");
    assert.equal(audit.items.length, 1);
    assert.equal(audit.items[0].credential.name, "octo-org/octo-repo at main");
    const { json: added } = await platform.api("GET", "/v1/audit?action=createPublisher");
    assert.equal(added.items.length, 1);
    const { json: list } = await platform.api("GET", "/v1/trusted-publishers");
    assert.equal(list.items[0].repositoryId, "74");
    assert.equal(list.items[0].lastSubject, "repo:octo-org/octo-repo:ref:refs/heads/main");

    const removed = await platform.api("DELETE", `/v1/trusted-publishers/${publisher.id}`);
    assert.equal(removed.status, 204);
    assert.equal(
      (await byKey.api("GET", "/v1/me")).status,
      401,
      "deleting a publisher revokes its keys",
    );
    const log = await platform.api("GET", "/v1/security-events");
    const names = log.json.items.map(({ event }: { event: string }) => event);
    assert.deepEqual(names.slice(0, 2), ["security.publisher_removed", "security.publisher_added"]);
    assert.match(log.json.items[1].detail, /"github octo-org\/octo-repo on branch main" was added/);
  }));

Deno.test("a GitLab job exchanges its token for each of its commands", () =>
  withCi(async ({ platform, issuer, audience, trust }) => {
    await trust({
      provider: "gitlab",
      repository: "my-group/sub/my-project",
      branch: "release/*",
      environment: "production",
      workflow: ".gitlab-ci.yml",
    });
    const claims = (more = {}) => gitlabClaims({ audience, issuer: issuer.url }, more);
    const token = await issuer.sign(claims({ ref: "release/1.2", sub: "a subject of their own" }));
    for (let command = 0; command < 3; command++) {
      const { status, json } = await askExchange(platform, { subject_token: token });
      assert.equal(status, 200, JSON.stringify(json));
    }
    const refused = await askExchange(platform, { subject_token: await issuer.sign(claims()) });
    assert.match(refused.json.error_description, /it does not trust the branch main/);
  }));

Deno.test("a company issuer's changing ES256 keys are fetched only rarely", () =>
  withCi(async ({ platform, audience, trust }) => {
    await using enterprise = await startIssuer("/_services/token");
    await trust({ issuer: enterprise.url });
    const exchange = async (kid: string) => {
      const subject_token = await enterprise.sign(githubClaims(audience), { kid });
      return await askExchange(platform, { subject_token });
    };
    assert.equal((await exchange("first")).status, 200);
    assert.equal((await exchange("first")).status, 200);
    assert.equal(
      enterprise.asked.length,
      2,
      "the discovery document and the keys are fetched once",
    );
    await enterprise.addKey("second", "ES256");
    const early = await exchange("second");
    assert.match(
      early.json.error_description,
      /has no key "second"/,
      "an unknown key causes at most one fetch per minute",
    );
    assert.equal(enterprise.asked.length, 2);
  }));

Deno.test("several publishers for one repository give each project its own permissions", () =>
  withCi(async ({ platform, issuer, audience, trust }) => {
    const [shop, blog] = [
      await createProject(platform, "shop"),
      await createProject(platform, "blog"),
    ];
    await trust({ permissions: ["deploy-production"], projects: [shop.id], branch: "main" });
    const previews = await trust({ permissions: ["deploy-previews"], projects: [shop.id] });
    await trust({ permissions: ["rules"], projects: [blog.id] });
    const exchange = async (more: Record<string, string>) =>
      await askExchange(platform, {
        subject_token: await issuer.sign(githubClaims(audience)),
        ...more,
      });
    const { json: both } = await exchange({ project: "shop" });
    assert.equal(both.scope, "deploy-production deploy-previews");
    const { json: other } = await exchange({ project: blog.id });
    assert.equal(other.scope, "rules");
    assert.match((await exchange({})).json.error_description, /choose the project/);
    assert.match(
      (await exchange({ project: "none" })).json.error_description,
      /no trusted publisher of octo-org\/octo-repo covers the project/,
    );

    const { json: list } = await platform.api("GET", "/v1/trusted-publishers");
    assert.ok(list.items.every(({ lastUsedAt }: { lastUsedAt: unknown }) => lastUsedAt !== null));
    await platform.api("DELETE", `/v1/trusted-publishers/${previews.id}`);
    const statusOf = async ({ access_token: token }: { access_token: string }) =>
      (await platform.api("GET", "/v1/me", { token })).status;
    assert.equal(
      await statusOf(both),
      401,
      "a key is revoked when any publisher that granted it is deleted",
    );
    assert.equal(await statusOf(other), 200);
  }));

Deno.test("pull requests get a key only for previews, and only if this is allowed", () =>
  withCi(async ({ platform, issuer, audience, trust }) => {
    const pull = githubClaims(audience, {
      ref: "refs/pull/7/merge",
      event_name: "pull_request",
      head_ref: "menu",
      sub: "repo:octo-org/octo-repo:pull_request",
    });
    const wide = await platform.api("POST", "/v1/trusted-publishers", {
      json: {
        provider: "github",
        repository: "octo-org/octo-repo",
        issuer: issuer.url,
        permissions: ["deploy-production"],
        pullRequests: true,
      },
    });
    assert.equal(wide.status, 400);
    assert.match(JSON.stringify(wide.json.problems), /read or deploy-previews/);
    await trust({ permissions: ["deploy-previews"], pullRequests: true, branch: "main" });
    const { status, json } = await askExchange(platform, {
      subject_token: await issuer.sign(pull),
    });
    assert.equal(status, 200, JSON.stringify(json));
  }));

Deno.test("after a restart, publishers still exist, and exchanged tokens cannot be reused", async () => {
  const dataDir = await makeTestFolder("svc-publishers-");
  await using issuer = await startIssuer();
  let platform = await start(dataDir, { allowPrivateUpstreams: true });
  try {
    const audience = new URL(platform.url).origin;
    await platform.api("POST", "/v1/trusted-publishers", {
      json: {
        provider: "github",
        repository: "octo-org/octo-repo",
        issuer: issuer.url,
        permissions: ["read"],
      },
    });
    const subject_token = await issuer.sign(githubClaims(audience));
    assert.equal((await askExchange(platform, { subject_token })).status, 200);
    const port = platform.port;
    await platform.shutdown();
    platform = await start(dataDir, { allowPrivateUpstreams: true, port });
    const again = await askExchange(platform, { subject_token });
    assert.match(again.json.error_description, /it was already exchanged/);
  } finally {
    await platform.shutdown();
    await Deno.remove(dataDir, { recursive: true });
  }
});
