/**
 * Runs `svc env exec` as a process: streams, exit codes, signals, and attacks through variables.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { programCommand } from "../../scripts/_program.ts";
import { testNeeding } from "../helpers/empty_root.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const test = testNeeding("sh");

const SECRET = "correct-horse-battery-staple";

function start(box: Sandbox, argv: readonly string[], stdin: "null" | "piped" = "null") {
  const [program, ...args] = programCommand();
  return new Deno.Command(program, {
    args: [...args, ...argv],
    cwd: box.site,
    env: box.env,
    clearEnv: true,
    stdin,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

const filesOf = (folder: string): string[] =>
  [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

async function withSecret(run: (box: Sandbox) => Promise<void>): Promise<void> {
  await withSandbox(async (box) => {
    await box.start();
    await box.json(["init", "--create"]);
    const argv = ["env", "set", "KEY", "--secret", "--stdin", "--environment", "preview"];
    const setting = start(box, argv, "piped");
    const input = setting.stdin.getWriter();
    await input.write(new TextEncoder().encode(`${SECRET}\n\n`));
    await input.close();
    const { code, stderr } = await setting.output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    await run(box);
  });
}

const EXEC = ["env", "exec", "--environment", "preview"];

test("env exec passes the variables only to the child, and writes no file", () =>
  withSecret(async (box) => {
    const before = filesOf(box.site);
    const run = await box.tool([...EXEC, "--", "printenv", "KEY"]);
    assert.deepEqual([run.code, run.stdout], [0, `${SECRET}\n\n`], run.stderr);
    assert.ok(!run.stderr.includes(SECRET));
    assert.deepEqual(filesOf(box.site), before);
    const parent = 'tr "\\0" "\\n" < /proc/$PPID/environ; echo "own=$OWN"';
    const around = await box.tool([...EXEC, "--", "sh", "-c", parent], { OWN: "kept" });
    assert.ok(
      !around.stdout.includes(SECRET),
      "the CLI's own environment does not contain the secret",
    );
    assert.match(around.stdout, /^own=kept$/m);
  }));

test("in JSON mode, env exec prints one object, and the child's output as log lines", () =>
  withSecret(async (box) => {
    const json = ["--json", ...EXEC];
    const script = "echo --json; echo '{}'; echo trouble >&2; printf 'no line end'; exit 3";
    const good = await box.tool([...json, "--", "sh", "-c", script]);
    assert.equal(good.code, 3);
    const ended = { exitCode: 3, environment: "preview", variables: 1 };
    assert.deepEqual(JSON.parse(good.stdout), ended);
    const logged = good.stderr.trimEnd().split("\n").map((line) => JSON.parse(line))
      .filter(({ s, p }) => s === "user" && p === "env").map(({ m }) => m);
    for (const line of ["--json", "{}", "trouble", "no line end"]) assert.ok(logged.includes(line));
    const bad = await box.tool([...json, "--", "no-such-program"]);
    assert.equal(bad.code, 127);
    assert.equal(JSON.parse(bad.stdout).code, "not_runnable");
    assert.ok(!(bad.stdout + bad.stderr).includes(SECRET));
  }));

test("env exec exits with the code of the child or of the signal that killed it", () =>
  withSecret(async (box) => {
    assert.equal((await box.tool([...EXEC, "--", "sh", "-c", "exit 42"])).code, 42);
    assert.equal((await box.tool([...EXEC, "--", "sh", "-c", "kill -9 $$"])).code, 137);
  }));

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1"] as const) {
  test(`env exec forwards ${signal} to the child and waits for it to exit`, () =>
    withSecret(async (box) => {
      const script = `trap 'kill $!; exit 42' ${signal.slice(3)}; sleep 60 & echo ready; wait`;
      const child = start(box, [...EXEC, "--", "sh", "-c", script]);
      const reader = child.stdout.getReader();
      assert.equal(new TextDecoder().decode((await reader.read()).value), "ready\n");
      child.kill(signal);
      assert.equal((await child.status).code, 42);
      await Promise.all([reader.cancel(), child.stderr.cancel()]);
    }));
}

test("env exec runs no shell, so arguments and values arrive unchanged", () =>
  withSecret(async (box) => {
    const value = "$(touch pwned) `touch pwned`; touch pwned\n\"'\\ & | > pwned";
    await box.json(["env", "set", "EVIL", "--plain", "--value", value, "--all"]);
    const before = filesOf(box.site);
    const print = "for (const word of Deno.args) console.log(word)";
    await Deno.writeTextFile(join(box.site, "..", "print.js"), print);
    const words = ["$KEY", "; touch pwned", "`touch pwned`", "a b", "--", "-x"];
    const run = await box.tool([...EXEC, "--", Deno.execPath(), "run", "../print.js", ...words]);
    assert.equal(run.stdout, words.map((word) => `${word}\n`).join(""), run.stderr);
    const evil = await box.tool([...EXEC, "--", "printenv", "EVIL"]);
    assert.equal(evil.stdout, `${value}\n`);
    assert.deepEqual(filesOf(box.site), before);
  }));

test("env exec withholds variables that control which code runs unless they are allowed", () =>
  withSecret(async (box) => {
    const steering = {
      PATH: "/nowhere",
      LD_PRELOAD: "/nowhere/evil.so",
      BASH_ENV: "/nowhere/evil.sh",
      NODE_OPTIONS: "--max-old-space-size=64",
    };
    for (const [key, value] of Object.entries(steering)) {
      await box.json(["env", "set", key, "--plain", "--value", value, "--all"]);
    }
    const run = await box.tool([...EXEC, "--", "printenv"]);
    assert.equal(run.code, 0, run.stderr);
    assert.ok(!run.stdout.includes("/nowhere") && !run.stdout.includes("max-old-space"));
    assert.match(
      run.stderr,
      /warning: .*BASH_ENV, LD_PRELOAD, NODE_OPTIONS, PATH \(pass them with --allow\)/,
    );
    const allowed = await box.tool([
      ...EXEC,
      "--allow",
      "NODE_OPTIONS",
      "--",
      "printenv",
      "NODE_OPTIONS",
    ]);
    assert.equal(allowed.stdout, "--max-old-space-size=64\n");
  }));
