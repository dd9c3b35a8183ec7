/** What scripts and agents rely on: exit codes, one JSON object, log lines, next steps. */
import assert from "node:assert/strict";
import { oneObject, type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { isEmpty, needs } from "../helpers/empty_root.ts";

/** The keys and values of a log line that the spec lists. */
const STREAMS = ["user", "debug"];
const LEVELS = ["info", "warn", "error"];
const PHASES = [
  ...["auth", "build", "db", "deploy", "detect", "domains", "env", "init"],
  ...["install", "link", "projects", "rollback", "workspace"],
];

function assertLogLines(stderr: string): void {
  for (const line of stderr.split("\n").filter((text) => text !== "")) {
    const { s, p, l, m, ...rest } = JSON.parse(line);
    assert.ok(STREAMS.includes(s) && PHASES.includes(p) && LEVELS.includes(l), line);
    assert.equal(typeof m, "string");
    assert.deepEqual(rest, {}, line);
  }
}

interface Row {
  readonly name: string;
  readonly args: readonly string[];
  readonly code: number;
  readonly error: RegExp;
  readonly machineCode?: string;
}

/** Calls without a platform, key or project. */
const FAILURES: readonly Row[] = [
  { name: "an unknown command", args: ["deply"], code: 2, error: /deploy/ },
  { name: "an unknown flag", args: ["deploy", "--prd"], code: 2, error: /--prod/ },
  { name: "a group without its command", args: ["projects"], code: 2, error: /list/ },
  {
    name: "a missing key",
    args: ["whoami"],
    code: 1,
    error: /key/i,
    machineCode: "unauthorized",
  },
  {
    name: "a platform that is not there",
    args: ["whoami", "--token", "t".repeat(40), "--api-url", "http://127.0.0.1:9"],
    code: 1,
    error: /127\.0\.0\.1:9/,
  },
];

for (const { name, args, code, error, machineCode } of FAILURES) {
  Deno.test(`${name} ends with exit code ${code} and one error object`, async () => {
    await withSandbox(async (box) => {
      const json = await box.tool([...args, "--json"]);
      assert.equal(json.code, code, json.stderr);
      const told = oneObject(json.stdout);
      assert.match(`${told.error} ${told.hint ?? ""}`, error);
      if (machineCode !== undefined) assert.equal(told.code, machineCode);
      assertLogLines(json.stderr);

      const human = await box.tool(args);
      assert.deepEqual([human.code, human.stdout], [code, ""]);
      assert.match(human.stderr, error);
    });
  });
}

Deno.test("--version and --help answer on stdout with exit code 0", async () => {
  await withSandbox(async (box) => {
    const version = await box.tool(["--version"]);
    assert.equal(version.code, 0);
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
    const help = await box.tool(["deploy", "--help"]);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /--prod/);
  });
});

async function linked(box: Sandbox): Promise<void> {
  await box.start();
  await box.json(["init", "--name", "contract", "--create"]);
  await Deno.writeTextFile(`${box.site}/index.html`, "<h1>Contract</h1>");
}

Deno.test("in JSON mode stdout is one object and stderr has log lines only", async () => {
  await withSandbox(async (box) => {
    await linked(box);
    for (const args of [["deploy"], ["deployments"], ["logs"], ["whoami"], ["projects", "list"]]) {
      const told = await box.tool([...args, "--json"]);
      assert.equal(told.code, 0, told.stdout + told.stderr);
      oneObject(told.stdout);
      assertLogLines(told.stderr);
    }
    const byVariable = await box.tool(["whoami"], { SVC_JSON: "1" });
    assert.ok("workspace" in oneObject(byVariable.stdout));
  });
});

Deno.test("what a person would be asked is an error that names the commands", async () => {
  await withSandbox(async (box) => {
    await linked(box);
    const told = await box.tool(["projects", "delete", "contract", "--json"]);
    assert.equal(told.code, 1);
    const { code, next } = oneObject(told.stdout);
    assert.equal(code, "action_required");
    assert.ok(Array.isArray(next) && next.some((command) => String(command).includes("--force")));
    await box.json(["projects", "delete", "contract", "--force"]);
    const deploy = await box.tool(["deploy", "--json"]);
    assert.equal(deploy.code, 1);
  });
});

Deno.test("a broken svc.toml is told with file, line and column", async () => {
  await withSandbox(async (box) => {
    await box.start();
    await Deno.writeTextFile(
      `${box.site}/svc.toml`,
      '[project]\nname = "x"\n\n[biuld]\ncommand = 1\n',
    );
    const told = await box.tool(["deploy"]);
    assert.equal(told.code, 1);
    assert.match(told.stderr, /svc\.toml:4:\d+.*biuld/);
    assert.match(told.stderr, /build/);
  });
});

Deno.test("a build that fails is a failure, and nothing goes live", needs("sh"), async () => {
  await withSandbox(async (box) => {
    await linked(box);
    const told = await box.tool(["deploy", "--prod", "--build-command", "exit 7", "--json"]);
    assert.equal(told.code, 1);
    assert.match(String(oneObject(told.stdout).error), /7/);
    assert.equal((await box.page("contract.localhost", "/")).status, 404);
  });
});

Deno.test("a build on a machine without a shell names what is missing", {
  ignore: !isEmpty(),
}, async () => {
  await withSandbox(async (box) => {
    await linked(box);
    const told = await box.tool(["deploy", "--prod", "--build-command", "true", "--json"]);
    assert.equal(told.code, 1);
    const { error, code } = oneObject(told.stdout);
    assert.equal(code, "unsupported");
    assert.equal(error, "Cannot start /bin/sh: this machine has no such program");
  });
});
