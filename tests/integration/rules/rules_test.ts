import assert from "node:assert/strict";
import {
  create,
  createProject,
  deploy,
  start,
  STATIC_MANIFEST,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { until } from "../../../src/lib/_test_until.ts";

/** A manifest that serves a folder's page at a URL without a trailing slash. */
const WITHOUT_SLASHES = { ...STATIC_MANIFEST, urls: { trailingSlash: "never" } };

const files = { "index.html": "home", "new.html": "new", "secret.html": "secret" };

const ruleSet = (...rules: unknown[]) => ({ schemaVersion: "EDGE_RULE_SET_V1", rules });
const redirect = (id: string, from: string, target: string) => ({
  id,
  condition: { path: { type: "exact", value: from } },
  action: { type: "redirect", target },
});
const deny = (path: string) => ({
  id: "deny",
  condition: { path: { type: "exact", value: path } },
  action: { type: "deny" },
});

const publish = (platform: TestPlatform, json: unknown, version: string) =>
  platform.api("PUT", "/v1/projects/shop/rules", { json, headers: { "if-match": version } });

Deno.test("a deployment's own rules apply to it and are shown in normalized form", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const rules = ruleSet(redirect("old", "/old", "/new"), deny("/secret"));
    const live = await deploy(platform, "shop", { files, rules });
    const answer = await platform.get("shop.localhost", "/old?a=1");
    assert.deepEqual([answer.status, answer.headers.location], [302, "/new?a=1"]);
    assert.equal((await platform.get("shop.localhost", "/secret")).status, 403);
    const shown = await platform.api("GET", "/v1/projects/shop/rules");
    assert.deepEqual([shown.json.origin, shown.json.deploymentId], ["build", live.id]);
    assert.equal(shown.json.ruleSet.source.origin, "build");
    assert.equal(shown.json.ruleSet.rules[1].action.statusCode, 403);
  }));

Deno.test("published rules immediately override the deployment's until they are removed", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files, rules: ruleSet(redirect("a", "/old", "/new")) });
    const location = async () => (await platform.get("shop.localhost", "/old")).headers.location;
    const put = await publish(platform, ruleSet(redirect("b", "/old", "/secret")), `"none"`);
    assert.equal(put.status, 200);
    assert.deepEqual([put.json.origin, put.json.ruleSet.source.revisionId], [
      "ui",
      put.json.revisionId,
    ]);
    assert.equal(await location(), "/secret");
    const preview = await deploy(platform, "shop", {
      files,
      prod: false,
      rules: ruleSet(redirect("c", "/old", "/preview")),
    });
    const host = new URL(preview.url).hostname;
    assert.equal((await platform.get(host, "/old")).headers.location, "/preview");
    await deploy(platform, "shop", { files, rules: ruleSet(redirect("a", "/old", "/later")) });
    assert.equal(await location(), "/secret", "a deployment leaves published rules in place");
    const removed = await platform.api("DELETE", "/v1/projects/shop/rules", {
      headers: { "if-match": put.headers.get("etag")! },
    });
    assert.equal(removed.json.origin, "build");
    assert.equal(await location(), "/later");
  }));

Deno.test("two writers never silently overwrite each other's rules", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const without = await platform.api("PUT", "/v1/projects/shop/rules", { json: ruleSet() });
    assert.deepEqual([without.status, without.json.code], [412, "precondition_failed"]);
    const version = (await platform.api("GET", "/v1/projects/shop/rules")).headers.get("etag")!;
    const answers = await Promise.all(
      ["a", "b"].map((id) => publish(platform, ruleSet(redirect(id, "/x", "/y")), version)),
    );
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 412]);
    for (const strange of [`"nope"`, `"${"0".repeat(20)}"`]) {
      const refused = await publish(platform, ruleSet(), strange);
      assert.deepEqual([refused.status, refused.json.code], [412, "precondition_failed"], strange);
    }
  }));

Deno.test("If-Match is evaluated as RFC 9110 specifies", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const path = "/v1/projects/shop/rules";
    const first = await platform.api("GET", path, { headers: { "accept-encoding": "gzip, br" } });
    assert.deepEqual(
      [first.headers.get("etag"), first.headers.get("content-encoding") ?? "identity"],
      [`"none"`, "identity"],
    );
    const weak = await publish(platform, ruleSet(), `W/"none"`);
    assert.deepEqual([weak.status, weak.json.code], [412, "precondition_failed"]);
    assert.match(weak.json.error, /weak/);
    for (const garbage of ["none", `"a" "none"`]) {
      assert.equal((await publish(platform, ruleSet(), garbage)).status, 400, garbage);
    }
    assert.equal((await publish(platform, ruleSet(), `"a", "none"`)).status, 200);
    assert.equal((await publish(platform, ruleSet(), "*")).status, 200);
  }));

Deno.test("revisions are listed and can be restored", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files });
    const first = await publish(platform, ruleSet(redirect("a", "/old", "/one")), `"none"`);
    const second = await publish(
      platform,
      ruleSet(redirect("a", "/old", "/two")),
      first.headers.get("etag")!,
    );
    const list = await platform.api("GET", "/v1/projects/shop/rules/revisions");
    assert.deepEqual(
      list.json.items.map((item: { revisionId: string; active: boolean }) => [
        item.revisionId,
        item.active,
      ]),
      [[second.json.revisionId, true], [first.json.revisionId, false]],
    );
    const restored = await platform.api(
      "POST",
      `/v1/projects/shop/rules/revisions/${first.json.revisionId}/restore`,
      { headers: { "if-match": second.headers.get("etag")! } },
    );
    assert.equal(restored.status, 200);
    assert.equal((await platform.get("shop.localhost", "/old")).headers.location, "/one");
  }));

Deno.test("an invalid rule set is refused as a unit, with the position of each problem", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const bad = ruleSet(
      { id: "a", action: { type: "redirect", target: "ftp://x" } },
      { id: "a", action: { type: "teleport" } },
    );
    const answer = await publish(platform, bad, `"none"`);
    assert.deepEqual([answer.status, answer.json.code], [400, "rules_invalid"]);
    assert.ok(answer.json.problems.length >= 2, JSON.stringify(answer.json));
  }));

Deno.test("a pipeline is refused if the live deployment lacks its function", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files });
    const steps = [{ use: "auth", mode: "request", failure: "closed" }, { handle: "origin" }];
    const set = ruleSet({ id: "gate", action: { type: "pipeline", steps } });
    const answer = await publish(platform, set, `"none"`);
    assert.deepEqual([answer.status, answer.json.code], [400, "rules_invalid"]);
    assert.deepEqual(answer.json.problems, [{
      path: "rules[0].action.steps[0].use",
      message: `Rule "gate": Use one of the project's functions: none is named "auth"`,
    }]);
    const created = await create(platform, "shop", { files, rules: set });
    assert.deepEqual([created.status, created.json.code], [400, "rules_invalid"]);
  }));

Deno.test("denied requests appear in the log, and every match counts in the rule's counter", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", {
      files,
      rules: ruleSet(deny("/secret"), redirect("old", "/old", "/new")),
    });
    for (const path of ["/secret", "/secret", "/old", "/"]) {
      await platform.get("shop.localhost", path);
    }
    // Front edges report their requests a moment later.
    await until(
      async () => (await platform.api("GET", "/v1/projects/shop/logs")).json.items.length,
      (count) => count === 4,
    );
    const logs = await platform.api("GET", "/v1/projects/shop/logs?search=denied");
    assert.deepEqual(
      logs.json.items.map((entry: { rules: unknown }) => entry.rules),
      Array(2).fill([{ ruleId: "deny", action: "deny", outcome: "denied" }]),
    );
    const counters = await platform.api("GET", "/v1/projects/shop/rules/counters");
    assert.deepEqual(counters.json.items, [
      { ruleId: "deny", matches: 2 },
      { ruleId: "old", matches: 1 },
    ]);
  }));

Deno.test("the API accepts a rule set that it has returned", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const glob = {
      id: "g",
      condition: { path: { type: "glob", value: "/blog/{slug}" } },
      action: { type: "redirect", target: "/posts/{slug}" },
    };
    const first = await publish(platform, ruleSet(glob), `"none"`);
    const again = await publish(platform, first.json.ruleSet, first.headers.get("etag")!);
    assert.equal(again.status, 200, JSON.stringify(again.json));
    assert.deepEqual(again.json.ruleSet.rules, first.json.ruleSet.rules);
  }));

Deno.test("the platform warns on startup about asn conditions if no database contains networks", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-test-" });
  const rules = ruleSet({
    id: "one-network",
    condition: { asn: [64500] },
    action: { type: "deny" },
  });
  const warnings = ({ logged }: TestPlatform) => logged.filter((line) => line.includes(" asn "));
  try {
    const first = await start(dataDir);
    await createProject(first, "shop");
    await deploy(first, "shop", { files, rules });
    assert.equal((await first.api("GET", "/v1/health")).json.knowsNetworks, false);
    await first.shutdown();
    const second = await start(dataDir);
    await until(() => warnings(second).length, (count) => count > 0);
    assert.deepEqual(warnings(second), [
      `warn Rules of project shop have asn conditions that never match: "one-network". ` +
      "The operator can set an ASN database with --asn",
    ]);
    await second.shutdown();
    const proxied = await start(dataDir, { trustProxy: ["127.0.0.1"] });
    assert.equal((await proxied.api("GET", "/v1/health")).json.knowsNetworks, true);
    await proxied.shutdown();
    assert.deepEqual(warnings(proxied), []);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("a folder's page is reachable although its prefix is denied, and set_headers is validated", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const prefix = { path: { type: "prefix", value: "/internal/" } };
    const rules = ruleSet({ id: "closed", condition: prefix, action: { type: "deny" } });
    const site = { ...files, "internal/index.html": "inside" };
    await deploy(platform, "shop", { files: site, rules });
    assert.equal((await platform.get("shop.localhost", "/internal/")).status, 403);
    const moved = await platform.get("shop.localhost", "/internal");
    assert.deepEqual([moved.status, moved.headers.location], [308, "/internal/"]);
    await deploy(platform, "shop", { files: site, rules, manifest: WITHOUT_SLASHES });
    assert.equal((await platform.get("shop.localhost", "/internal")).text, "inside");
    const exact = { path: { type: "exact", value: "/internal" } };
    const both = ruleSet({
      id: "closed",
      condition: { any: [exact, prefix] },
      action: { type: "deny" },
    });
    await publish(platform, both, `"none"`);
    assert.equal((await platform.get("shop.localhost", "/internal")).status, 403);
    const { headers } = await platform.api("GET", "/v1/projects/shop/rules");
    for (const field of [{ Connection: "close" }, { "X-Svc-Cache": "HIT" }, { A: " b" }]) {
      const bad = ruleSet({ id: "h", action: { type: "set_headers", headers: field } });
      const refused = await publish(platform, bad, headers.get("etag")!);
      assert.deepEqual([refused.status, refused.json.code], [400, "rules_invalid"]);
    }
  }));
