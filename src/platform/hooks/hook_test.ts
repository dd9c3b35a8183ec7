import assert from "node:assert/strict";
import type { HookScope } from "../../contract/hooks.ts";
import { systemRandom } from "../../lib/clock.ts";
import { decideTrigger, hashHookToken, mintHookToken } from "./hook.ts";

Deno.test("mintHookToken() returns 64 hexadecimal digits, different each time", () => {
  const tokens = Array.from({ length: 100 }, () => mintHookToken(systemRandom));
  for (const token of tokens) assert.match(token, /^[0-9a-f]{64}$/);
  assert.equal(new Set(tokens).size, 100);
  assert.notEqual(hashHookToken(tokens[0]!), tokens[0]);
});

const NOT_PRODUCTION =
  "Hook is scoped to PRODUCTION, but branch 'feature/x' is not production branch";

const TARGETS: readonly [string, HookScope, string, boolean, string, string][] = [
  ["Production for the production branch", "Production", "main", false, "main", "production"],
  ["Production for another branch", "Production", "main", false, "feature/x", NOT_PRODUCTION],
  [
    "Production restricted to another branch",
    "Production",
    "feature/x",
    true,
    "feature/x",
    NOT_PRODUCTION,
  ],
  ["Preview for the production branch", "Preview", "main", false, "main", "preview"],
  ["Preview for another branch", "Preview", "main", false, "feature/x", "preview"],
  ["All for the production branch", "All", "main", false, "main", "production"],
  ["All for another branch", "All", "main", false, "feature/x", "preview"],
  [
    "All with a matching pattern",
    "All",
    "feature/*",
    true,
    "feature/x",
    "preview",
  ],
  [
    "All with a pattern that does not match",
    "All",
    "release/*",
    true,
    "feature/x",
    "Hook is restricted to branch 'release/*', which 'feature/x' does not match",
  ],
  [
    "Preview restricted to one branch",
    "Preview",
    "develop",
    true,
    "feature/x",
    "Hook is restricted to branch 'develop', which 'feature/x' does not match",
  ],
];

Deno.test("decideTrigger() follows the hook's scope and branch", () => {
  for (const [name, scope, branch, restrictBranch, wanted, expected] of TARGETS) {
    const target = decideTrigger({ scope, branch, restrictBranch }, { wanted, production: "main" });
    const answer = target.type === "deploy" ? target.environment : target.message;
    assert.equal(answer, expected, name);
  }
});
