import assert from "node:assert/strict";
import { compileAll, type ShortRule } from "../_test_rules.ts";
import { parseRuleTests } from "./parse_rule_tests.ts";
import { runRuleTests } from "./run_rule_tests.ts";

const RULES: readonly ShortRule[] = [
  [{ sourceIpCidrs: ["192.0.2.0/24"] }, { type: "deny" }],
  [{ path: { type: "prefix", value: "/api/" } }, {
    type: "rate_limit",
    limit: 5,
    windowSeconds: 60,
  }],
  [{ path: { type: "glob", value: "/old/{rest...}" } }, {
    type: "redirect",
    target: "/new/{rest}",
    statusCode: 301,
    ifNoFile: true,
  }],
  [{ path: { type: "exact", value: "/app" } }, { type: "rewrite", target: "/index.html" }],
  [{ path: { type: "exact", value: "/app" } }, { type: "cache", ttlSeconds: 60 }],
  [{}, { type: "set_headers", headers: { "x-frame-options": "DENY" } }],
  [{}, { type: "remove_headers", headers: ["server"] }],
  [{ device: "bot" }, { type: "log" }],
  [{}, { type: "deny" }, { enabled: false }],
];
const COMPILED = compileAll(RULES);
const IDS = RULES.map((_, index) => `r${index}`);

const GOOD = `
[[tests]]
name = "old pages move"
url = "https://a.test/old/x?y=1"
[tests.expect]
outcome = "redirect"
status = 301
location = "/new/x?y=1"
rule = "r2"
headers = { "X-Frame-Options" = "DENY" }
removed_headers = ["Server"]
not_matched = ["r0", "r3"]

[[tests]]
name = "old pages that are there stay"
url = "/old/x"
files = ["/old/x"]
expect = { outcome = "pass", not_matched = ["r2"] }

[[tests]]
name = "the app is rewritten"
url = "/app"
expect = { rewrite = "/index.html", rule = "r3", cache = 60, matched = ["r4"] }

[[tests]]
name = "the api is limited"
method = "post"
url = "/api/x"
over_limit = ["r1"]
expect = { outcome = "rate_limited", status = 429 }

[[tests]]
name = "a broken path is refused before any rule"
url = "/%00"
expect = { status = 400 }
`;

function run(source: string) {
  const parsed = parseRuleTests(source, IDS);
  assert.deepEqual(parsed.diagnostics, []);
  return runRuleTests(COMPILED, parsed.tests ?? []);
}

Deno.test("runRuleTests() passes expected results and lists rules that were not reached", () => {
  const report = run(GOOD);
  assert.deepEqual(report.results.flatMap(({ failures }) => failures), []);
  assert.deepEqual([report.passed, report.failed], [5, 0]);
  assert.deepEqual(report.unreached, ["r0", "r7"]);
  assert.equal(report.results[0]?.position?.line, 2);
  assert.deepEqual(report.results[0]?.matched, ["r2", "r5", "r6"]);
});

Deno.test("runRuleTests() names every expectation that is not met", () => {
  const report = run(`
[[tests]]
name = "all wrong"
url = "/app"
[tests.expect]
outcome = "deny"
status = 403
location = "/x"
rule = "r0"
rewrite = "/y"
cache = "bypass"
pipeline = "r1"
headers = { x-frame-options = "SAMEORIGIN", x-other = "1" }
removed_headers = ["x-frame-options"]
matched = ["r7"]
not_matched = ["r5"]
`);
  assert.deepEqual(
    report.results[0]?.failures.map(({ field, wanted, seen }) => `${field}: ${wanted}, ${seen}`),
    [
      "outcome: deny, pass",
      "status: 403, nothing",
      "location: /x, nothing",
      "rule: r0, r3",
      "rewrite: /y, /index.html",
      "cache: bypass, 60",
      "pipeline: r1, nothing",
      "headers.x-frame-options: SAMEORIGIN, DENY",
      "headers.x-other: 1, untouched",
      "removed_headers: x-frame-options removed, DENY",
      "matched: r7, r3, r4, r5, r6",
      "not_matched: not r5, r3, r4, r5, r6",
    ],
  );
  assert.deepEqual([report.passed, report.failed], [0, 1]);
});

const BAD: readonly [name: string, source: string, place: string, message: RegExp][] = [
  ["no tests", "", "1:1", /Add "tests"/],
  ["syntax", "[[tests]\n", "2:1", /Cannot read TOML/],
  ["no expectation", '[[tests]]\nname = "a"\nurl = "/"\n', "1:3", /Add "expect"/],
  [
    "a wrong key",
    '[[tests]]\nname = "a"\nurl = "/"\nexpect = { statuss = 1 }\n',
    "4:12",
    /"statuss"/,
  ],
  [
    "a wrong status",
    '[[tests]]\nname = "a"\nurl = "/"\nexpect = { status = 99 }\n',
    "4:21",
    /300 to 599: it is 99/,
  ],
  ["a wrong URL", '[[tests]]\nname = "a"\nurl = "x"\nexpect = {}\n', "3:7", /begins with/],
  ["a wrong host", '[[tests]]\nname = "a"\nurl = "http://a b/"\nexpect = {}\n', "3:7", /http/],
  [
    "an unknown rule",
    '[[tests]]\nname = "a"\nurl = "/"\nexpect = { rule = "r99" }\n',
    "4:19",
    /no rule "r99"/,
  ],
  [
    "an unknown rule in a list",
    '[[tests]]\nname = "a"\nurl = "/"\nover_limit = ["r1", "x"]\nexpect = {}\n',
    "4:21",
    /no rule "x"/,
  ],
  [
    "a wrong header",
    '[[tests]]\nname = "a"\nurl = "/"\nheaders = { "a b" = "1" }\nexpect = {}\n',
    "4:13",
    /header name/,
  ],
];

Deno.test("parseRuleTests() reports problems and their positions", async (t) => {
  for (const [name, source, place, message] of BAD) {
    await t.step(name, () => {
      const parsed = parseRuleTests(source, IDS);
      assert.equal(parsed.tests, undefined);
      const [first] = parsed.diagnostics;
      assert.match(first?.message ?? "", message);
      assert.equal(`${first?.position?.line ?? 1}:${first?.position?.column ?? 1}`, place);
    });
  }
});

Deno.test("runRuleTests() compares proxy, cache and the order of a pipeline's steps", () => {
  const compiled = compileAll([
    [{}, { type: "rewrite", target: "https://up.test/x", external: true }],
    [{}, { type: "bypass_cache" }],
    [{}, {
      type: "pipeline",
      steps: [
        { use: "late", mode: "request", cachePosition: "after" },
        { use: "auth", mode: "request" },
        { handle: "origin" },
        { use: "mark", mode: "response" },
      ],
    }],
  ]);
  const row = (steps: string) => `
[[tests]]
name = "all of it"
url = "/"
expect = { rewrite = "https://up.test/x", cache = "bypass", pipeline = "r2", steps = ${steps} }`;
  const run = (source: string) => {
    const parsed = parseRuleTests(source, ["r0", "r1", "r2"]);
    assert.ok(parsed.tests !== undefined);
    return runRuleTests(compiled, parsed.tests).results[0];
  };
  assert.equal(run(row(`["auth", "late", "origin", "mark"]`))?.passed, true);
  assert.deepEqual(run(row(`["auth", "origin"]`))?.failures, [
    { field: "steps", wanted: "auth, origin", seen: "auth, late, origin, mark" },
  ]);
});
