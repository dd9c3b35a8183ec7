import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { type Bench, withPlatform } from "../_test_platform.ts";
import { runCli, type RunOptions } from "../_test_run.ts";

const SERVER = `
const { createServer } = require("node:http");
const { GREETING, DATABASE_URL } = process.env;
createServer((_, response) => response.end(JSON.stringify({ GREETING, DATABASE_URL })))
  .listen(process.env.PORT);
`;

/** Runs `svc dev` until its server has answered once; returns the answer, and what was said. */
async function dev(
  bench: Pick<Bench, "site" | "env">,
  argv: readonly string[],
  options: RunOptions = {},
) {
  const stop = new AbortController();
  let answer: unknown;
  const ask = async (printed: string) => {
    if ("error" in JSON.parse(printed)) return;
    answer = await (await fetch(`http://127.0.0.1:${JSON.parse(printed).port}/`)).json();
  };
  const run = await runCli(["dev", "--port", "0", "--json", ...argv], {
    cwd: bench.site,
    env: { PATH: Deno.env.get("PATH") ?? "", ...bench.env },
    fetch,
    now: () => Date.now(),
    signal: stop.signal,
    onStdout: (printed) =>
      void ask(printed).finally(() => stop.abort(new DOMException("Stop", "AbortError"))),
    ...options,
  });
  return { ...run, answer };
}

async function withServer(test: (bench: Bench) => Promise<void>): Promise<void> {
  await withPlatform(async (bench) => {
    await bench.write("server.cjs", SERVER);
    await bench.json(["init", "--create"]);
    const toml = await bench.read("svc.toml");
    await bench.write("svc.toml", `${toml}\n[dev]\ncommand = "node server.cjs"\n`);
    await test(bench);
  });
}

Deno.test("dev gives its server the variables of the environment, and says where there are none", () =>
  withServer(async (bench) => {
    const set = ["env", "set", "GREETING", "--plain", "--value", "ahoy"];
    await bench.json([...set, "--environment", "preview"]);
    const chosen = await dev(bench, ["--environment", "preview"]);
    assert.deepEqual(chosen.answer, { GREETING: "ahoy" }, chosen.stderr);
    assert.equal(chosen.code, 0);
    assert.equal(JSON.parse(chosen.stdout).environment, "preview");
    const open = await dev(bench, []);
    assert.deepEqual(open.answer, {});
    assert.match(open.stderr, /no environment is chosen; --environment/);
    const offline = { ...bench, env: { ...bench.env, SVC_API_URL: "http://127.0.0.1:9" } };
    const alone = await dev(offline, []);
    assert.deepEqual(alone.answer, {});
    assert.match(alone.stderr, /127\.0\.0\.1:9 cannot be reached/);
  }));

Deno.test("dev gives its server the branch of the database that is named, else main", () =>
  withServer(async (bench) => {
    const patient = { sleep: (milliseconds: number) => delay(milliseconds) };
    await bench.json(["db", "create", "--name", "shop", "--wait"], patient);
    await bench.json(["db", "branches", "create", "cart"], patient);
    const urlOf = async (branch: string) =>
      (await bench.json(["db", "connection", "--branch", branch])).url;
    const main = await dev(bench, []);
    assert.deepEqual(main.answer, { DATABASE_URL: await urlOf("main") }, main.stderr);
    const cart = await dev(bench, ["--db-branch", "cart"]);
    assert.deepEqual(cart.answer, { DATABASE_URL: await urlOf("cart") }, cart.stderr);
    const none = await dev(bench, ["--db-branch", "none"]);
    assert.equal(none.code, 1);
  }));

Deno.test("dev refuses flags that do not fit the project", () =>
  withServer(async (bench) => {
    const refusals: readonly (readonly [argv: readonly string[], message: RegExp])[] = [
      [["--alias", "storybook"], /it has no "storybook"/],
      [["--alias", "a", "--command", "b"], /Give --alias or --command, not both/],
    ];
    for (const [argv, message] of refusals) {
      const { code, stdout } = await dev(bench, argv);
      assert.deepEqual([code, message.test(JSON.parse(stdout).error)], [2, true], stdout);
    }
  }));
