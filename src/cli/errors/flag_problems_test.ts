import assert from "node:assert/strict";
import { withPlatform } from "../_test_platform.ts";
import { toFlagProblems } from "./flag_problems.ts";

Deno.test("toFlagProblems() names the flag or argument that set a field", () => {
  const given = { flags: ["--display-name", "--project-id"], args: ["name", "webhook_id"] };
  const rows: [path: string, wanted: string | undefined][] = [
    ["body.displayName", "--display-name"],
    ["path.project", "--project-id"],
    ["body.displayName.first", "--display-name first"],
    ["body.name", "<name>"],
    ["path.webhook", "<webhook_id>"],
    ["body.gitUrl", undefined],
    ["body.files[3].path", undefined],
    ["header.x-workspace", undefined],
  ];
  for (const [path, wanted] of rows) {
    const told = toFlagProblems([{ path, message: "Bad" }], given);
    assert.equal(told?.[0]?.path, wanted, path);
  }
});

const WRONG_VALUES: [argv: string[], named: string][] = [
  [["projects", "create", "--name", "blog", "--display-name", "x".repeat(300)], "--display-name"],
  [["projects", "create", "--name", "blog", "--git-url", "nonsense"], "--git-url"],
  [["projects", "create", "--name", "blog", "--node-version", "$(id)"], "--node-version"],
  [["projects", "update", "my-site", "--display-name", "x".repeat(300)], "--display-name"],
  [["deployments", "--project-id", "No Such"], "--project-id"],
  [["projects", "info", "No Such"], "<id>"],
  [["deploy", "--message", "m".repeat(600)], "--message"],
  [["deploy", "--branch", "-bad"], "--branch"],
];

Deno.test("a wrong value is reported with its flag, and exit code 2", async (t) => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    for (const [argv, named] of WRONG_VALUES) {
      await t.step(`${argv.slice(0, 2).join(" ")} ${named}`, async () => {
        const { code, stdout } = await bench.run([...argv, "--json"]);
        const told = JSON.parse(stdout);
        assert.equal(code, 2, stdout);
        assert.equal(told.code, "usage");
        assert.ok(told.error.startsWith(`Invalid ${named}: `), told.error);
        assert.doesNotMatch(stdout, /body\.|displayName|path\.project/);
      });
    }
  });
});
