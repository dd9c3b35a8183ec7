import assert from "node:assert/strict";
import { isMember, memberBases, workspacePatterns } from "./workspace_patterns.ts";

Deno.test("workspacePatterns() reads the roots of npm, Yarn, Bun and pnpm", async () => {
  const of = (packageJson?: string, pnpmWorkspace?: string) =>
    workspacePatterns({ packageJson, pnpmWorkspace });
  assert.deepEqual(await of('{"workspaces":["apps/*"]}'), ["apps/*"]);
  assert.deepEqual(await of('{"workspaces":{"packages":["apps/*"],"nohoist":[]}}'), ["apps/*"]);
  assert.deepEqual(await of("{}", "packages:\n  - 'apps/*'\n  - \"!**/test\"\n"), [
    "apps/*",
    "!**/test",
  ]);
  assert.equal(await of("{}", "onlyBuiltDependencies:\n  - esbuild\n"), undefined);
  assert.equal(await of('{"name":"shop"}'), undefined);
  assert.equal(await of('{"description":"has \\"workspaces\\""}'), undefined);
  assert.equal(await of("no JSON"), undefined);
});

const MEMBERS: readonly (readonly [string, readonly string[], boolean])[] = [
  ["apps/web", ["apps/*"], true],
  ["apps/web", ["./apps/*/"], true],
  ["apps/web/src", ["apps/*"], false],
  ["apps/web/src", ["apps/**"], true],
  ["docs", ["apps/*"], false],
  ["apps/old", ["apps/*", "!apps/old"], false],
  ["apps/old", ["apps/*", "!apps/*", "apps/old"], true],
];

for (const [folder, patterns, member] of MEMBERS) {
  Deno.test(`isMember() returns ${member} for ${folder} in ${patterns.join(" ")}`, () => {
    assert.equal(isMember(folder, patterns), member);
  });
}

Deno.test("memberBases() returns the folders to search", () => {
  assert.deepEqual(memberBases(["apps/*", "packages/**", "tools/cli", "*", "!x/*"]), [
    "apps",
    "packages",
    "tools/cli",
    ".",
  ]);
});
