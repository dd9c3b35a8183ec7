import assert from "node:assert/strict";
import { dev, withServer } from "./_test_dev.ts";

Deno.test("dev gives its server the environment's variables, and reports missing ones", () =>
  withServer(async (bench) => {
    const set = ["env", "set", "GREETING", "--plain", "--value", "ahoy"];
    await bench.json([...set, "--environment", "preview"]);
    const chosen = await dev(bench, ["--environment", "preview"]);
    assert.deepEqual(chosen.answer, { GREETING: "ahoy" }, chosen.stderr);
    assert.equal(chosen.code, 0);
    assert.equal(JSON.parse(chosen.stdout).environment, "preview");
    const open = await dev(bench, []);
    assert.deepEqual(open.answer, {});
    assert.match(open.stderr, /no environment is chosen. Use --environment/);
    const offline = { ...bench, env: { ...bench.env, SVC_API_URL: "http://127.0.0.1:9" } };
    const alone = await dev(offline, []);
    assert.deepEqual(alone.answer, {});
    assert.match(alone.stderr, /127\.0\.0\.1:9 cannot be reached/);
  }));

Deno.test("dev refuses flags that do not apply to the project", () =>
  withServer(async (bench) => {
    const refusals: readonly (readonly [argv: readonly string[], message: RegExp])[] = [
      [["--alias", "storybook"], /svc.toml has no alias "storybook"/],
      [["--alias", "a", "--command", "b"], /Use either --alias or --command/],
    ];
    for (const [argv, message] of refusals) {
      const { code, stdout } = await dev(bench, argv);
      assert.deepEqual([code, message.test(JSON.parse(stdout).error)], [2, true], stdout);
    }
  }));
