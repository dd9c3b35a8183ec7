import assert from "node:assert/strict";
import { join } from "node:path";
import { looksSecret, MAX_HISTORY, openHistory, parseHistory } from "./history.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";

async function withFile(test: (path: string) => Promise<void>): Promise<void> {
  await inTestFolder(async (folder) => {
    await test(join(folder, "svc", "db_history"));
  });
}

Deno.test("add() stores multi-line statements for the next prompt, newest first", async () => {
  await withFile(async (path) => {
    const first = await openHistory(path);
    await first.add("select 1;");
    await first.add("select\n  '日本';");
    await first.add("select\n  '日本';");
    const second = await openHistory(path);
    assert.deepEqual(second.statements, ["select\n  '日本';", "select 1;"]);
  });
});

Deno.test("add() omits statements that seem to contain a password", async () => {
  await withFile(async (path) => {
    const history = await openHistory(path);
    const secret = "ALTER ROLE ann PASSWORD 'hunter2';";
    assert.equal(await history.add(secret), false);
    assert.deepEqual(history.statements, []);
    assert.ok(!(await Deno.readTextFile(path)).includes("hunter2"));
  });
});

Deno.test({
  name: "openHistory() creates a file that only its owner can read",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withFile(async (path) => {
      await (await openHistory(path)).add("select 1;");
      assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
      await Deno.chmod(path, 0o644);
      const again = await openHistory(path);
      await again.add("select 2;");
      assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
      assert.deepEqual(again.statements, ["select 2;", "select 1;"]);
    }),
});

Deno.test("parseHistory() keeps the newest statements, and drops lines that are not statements", () => {
  const lines = Array.from({ length: MAX_HISTORY + 5 }, (_, number) => `"select ${number};"`);
  const kept = parseHistory(["{broken", "12", ...lines, ""].join("\n"));
  assert.equal(kept.length, MAX_HISTORY);
  assert.equal(kept.at(-1), `select ${MAX_HISTORY + 4};`);
});

Deno.test("looksSecret() recognizes passwords, tokens and URLs that contain one", () => {
  for (
    const statement of [
      "create role a login password 'x';",
      "insert into users (api_key) values ('x');",
      "update users set reset_token = 'x';",
      "create extension dblink; select dblink('postgres://a:b@c/d');",
    ]
  ) assert.ok(looksSecret(statement), statement);
  for (const statement of ["select * from boats;", "select 'http://a.example/x@y';"]) {
    assert.ok(!looksSecret(statement), statement);
  }
});
