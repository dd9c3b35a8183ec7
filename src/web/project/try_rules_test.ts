import assert from "node:assert/strict";
import { compileRules, loadRulesValue, SCHEMA_VERSION } from "../../rules/mod.ts";
import { tryRules } from "./try_rules.ts";

const compiled = (...rules: object[]) =>
  compileRules(loadRulesValue({ schemaVersion: SCHEMA_VERSION, rules }).runtime!);
const path = (value: string) => ({ path: { type: "prefix", value } });
const request = (path: string, ip = "192.0.2.1") => ({
  method: "GET",
  host: "shop.example",
  path,
  ip,
  userAgent: null,
});
const clientFacts = ({ ip }: { ip: string }) => ({
  country: ip === "192.0.2.1" ? "DE" : "FR",
  asn: undefined,
  device: undefined,
});

Deno.test("tryRules() groups by the rules that change the response, largest first", () => {
  const before = compiled({ id: "old", condition: path("/a"), action: { type: "deny" } });
  const after = compiled(
    { id: "renamed", condition: path("/a"), action: { type: "deny" } },
    {
      id: "moved",
      condition: { path: { type: "glob", value: "/blog/{slug}" } },
      action: { type: "redirect", target: "/news/{slug}", statusCode: 301 },
    },
    { id: "french", condition: { geo: ["FR"] }, action: { type: "deny", statusCode: 451 } },
  );
  const requests = ["/a", "/blog/x", "/blog/y", "/blog/y", "/"].map((each) => request(each));
  const report = tryRules([...requests, request("/", "198.51.100.1")], {
    before,
    after,
    clientFacts,
  });
  assert.deepEqual([report.requests, report.changed, report.limits], [6, 4, []]);
  assert.deepEqual(report.groups.map(({ count, examples }) => [count, examples]), [
    [3, ["GET /blog/x", "GET /blog/y"]],
    [1, ["GET /"]],
  ]);
  assert.deepEqual(report.groups[0]!.before, ["Continues to the routes unchanged"]);
  assert.equal(report.groups[1]!.after[0], 'Responds with 451 (rule "french")');
});

Deno.test("tryRules() lists facts that are not in the log", () => {
  const rules = compiled(
    {
      id: "a",
      condition: { query: { debug: "1" }, any: [{ cookies: { beta: "1" } }] },
      action: { type: "deny" },
    },
    { id: "b", action: { type: "rate_limit", limit: 5, windowSeconds: 60 } },
  );
  const { limits } = tryRules([], { before: compiled(), after: rules, clientFacts });
  assert.deepEqual(limits, [
    "The log has no query parameters, so they count as missing",
    "The log has no cookies, so they count as missing",
    "Rate limits are not counted",
  ]);
});
