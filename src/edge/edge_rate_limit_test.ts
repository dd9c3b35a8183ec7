import assert from "node:assert/strict";
import type { Rule } from "../rules/mod.ts";
import { testEdge, testSite } from "./_test_site.ts";
import type { Origin } from "./origin.ts";

const limit = (more: object = {}): Rule => ({
  id: "calls",
  action: { type: "rate_limit", limit: 2, windowSeconds: 10, ...more },
});

function limited(rules: readonly Rule[]) {
  const { site } = testSite({ "index.html": "home" }, { rules });
  let now = Date.UTC(2026, 0, 1);
  const edge = testEdge(site, { now: () => now });
  return { ...edge, wait: (seconds: number) => now += seconds * 1000 };
}

const statuses = async (
  edge: ReturnType<typeof limited>,
  count: number,
  from = "192.0.2.1",
): Promise<number[]> => {
  const seen: number[] = [];
  for (let index = 0; index < count; index++) {
    seen.push((await edge.fetch("/", { from })).status);
  }
  return seen;
};

Deno.test("rate_limit responds with 429 over the limit, and allows requests again later", async () => {
  const edge = limited([limit()]);
  assert.deepEqual(await statuses(edge, 3), [200, 200, 429]);
  assert.deepEqual(await statuses(edge, 1, "192.0.2.2"), [200], "another client");
  edge.wait(11);
  assert.deepEqual(await statuses(edge, 1), [200]);
});

Deno.test("rate_limit reports the limit, and when to retry", async () => {
  const edge = limited([limit()]);
  const first = await edge.fetch("/");
  assert.equal(first.headers.get("ratelimit-policy"), `"calls";q=2;w=10`);
  assert.match(first.headers.get("ratelimit") ?? "", /^"calls";r=1;t=\d+$/);
  await edge.fetch("/");
  const refused = await edge.fetch("/");
  const wait = Number(refused.headers.get("retry-after"));
  assert.ok(wait >= 1 && wait <= 11, String(wait));
  edge.wait(wait);
  assert.equal((await edge.fetch("/")).status, 200, "a request succeeds after Retry-After");
});

Deno.test("rate_limit in shadow mode refuses no request and is recorded", async () => {
  const edge = limited([limit({ mode: "shadow" })]);
  assert.deepEqual(await statuses(edge, 3), [200, 200, 200]);
  assert.deepEqual(edge.records[2]?.rules, [
    { ruleId: "calls", action: "rate_limit", outcome: "shadowed" },
  ]);
});

Deno.test("rate_limit refusals are recorded and get no header edits", async () => {
  const edge = limited([
    limit(),
    { id: "h", action: { type: "set_headers", headers: { "x-a": "b" } } },
  ]);
  await statuses(edge, 2);
  const refused = await edge.fetch("/");
  assert.equal(refused.headers.get("x-a"), null);
  assert.deepEqual(edge.records[2]?.rules, [
    { ruleId: "calls", action: "rate_limit", outcome: "limited" },
  ]);
});

Deno.test("an earlier allow exempts a client from rate_limit", async () => {
  const edge = limited([
    {
      id: "own",
      condition: { sourceIpCidrs: ["192.0.2.0/24"] },
      action: { type: "allow" },
    },
    limit(),
  ]);
  assert.deepEqual(await statuses(edge, 4), [200, 200, 200, 200]);
});

Deno.test("IPv6 clients are counted by /64 prefix", async () => {
  const edge = limited([limit()]);
  assert.deepEqual(await statuses(edge, 2, "2001:db8::1"), [200, 200]);
  assert.deepEqual(await statuses(edge, 1, "2001:db8::ffff"), [429]);
  assert.deepEqual(await statuses(edge, 1, "2001:db8:0:1::1"), [200]);
});

Deno.test("a front edge counts local limits, and leaves other limits to the platform", async () => {
  const origin: Origin = {
    redirectsToHttps: () => false,
    ask: () =>
      Promise.resolve({ status: 200, headers: [["from", "platform"]], body: "", bytes: 0 }),
  };
  const edgeWith = (rule: Rule) =>
    testEdge(testSite({ "index.html": "home" }, { rules: [rule] }).site, { origin });
  const local = edgeWith(limit({ local: true }));
  const answers = [await local.fetch("/"), await local.fetch("/"), await local.fetch("/")];
  assert.deepEqual(answers.map(({ status }) => status), [200, 200, 429]);
  assert.equal(answers[1]!.headers.get("from"), null);
  assert.match(answers[1]!.headers.get("ratelimit") ?? "", /^"calls";r=0/);
  const shared = edgeWith(limit());
  for (let at = 0; at < 3; at++) {
    assert.equal((await shared.fetch("/")).headers.get("from"), "platform");
  }
});
