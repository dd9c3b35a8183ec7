/** Tests what scripts and agents rely on: exit codes, one JSON object, log lines and next steps. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startTool } from "../../scripts/_program.ts";
import { until } from "../../src/lib/_test_until.ts";
import { signUpWithWorkspace } from "../helpers/browser.ts";
import { approve } from "../helpers/device_flow.ts";
import { callerOf } from "../helpers/sandbox_api.ts";
import { oneObject, type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { isEmpty, needs } from "../helpers/empty_root.ts";

/** The specified keys and values of a log line. */
const STREAMS = ["user", "debug"];
const LEVELS = ["info", "warn", "error"];
const PHASES = [
  "auth",
  "build",
  "db",
  "deploy",
  "detect",
  "domains",
  "env",
  "init",
  "install",
  "link",
  "projects",
  "rollback",
  "workspace",
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

/** Commands that are run without a platform, key or project. */
const FAILURES: readonly Row[] = [
  { name: "an unknown command", args: ["deply"], code: 2, error: /deploy/ },
  { name: "an unknown flag", args: ["deploy", "--prd"], code: 2, error: /--prod/ },
  { name: "a group without a command", args: ["projects"], code: 2, error: /list/ },
  {
    name: "a missing key",
    args: ["whoami"],
    code: 1,
    error: /key/i,
    machineCode: "unauthorized",
  },
  {
    name: "an unreachable platform",
    args: ["whoami", "--token", "t".repeat(40), "--api-url", "http://127.0.0.1:9"],
    code: 1,
    error: /127\.0\.0\.1:9/,
  },
  {
    name: "a login at an unreachable platform",
    args: ["login", "--api-url", "http://127.0.0.1:9"],
    code: 1,
    error: /127\.0\.0\.1:9/,
  },
  { name: "a workspace without its slug", args: ["workspace", "switch"], code: 2, error: /slug/ },
  { name: "a missing folder", args: ["link", "nowhere"], code: 2, error: /nowhere/ },
  { name: "an unknown alias", args: ["dev", "--alias", "x"], code: 2, error: /alias/ },
  { name: "an invalid port", args: ["dev", "-p", "99999"], code: 2, error: /65535/ },
  {
    name: "a database branch without a project",
    args: ["dev", "--db-branch", "main"],
    code: 1,
    error: /needs a linked project/,
    machineCode: "action_required",
  },
  {
    name: "an upgrade in a build without a releases URL",
    args: ["upgrade"],
    code: 1,
    error: /SVC_RELEASES_URL/,
    machineCode: "release_unusable",
  },
  {
    name: "a version that is not a tag",
    args: ["upgrade", "--version", "x"],
    code: 2,
    error: /v1\.2\.3/,
  },
];

for (const { name, args, code, error, machineCode } of FAILURES) {
  Deno.test(`${name} exits with code ${code} and one error object`, async () => {
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

Deno.test("--version and --help print to stdout and exit with code 0", async () => {
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

Deno.test("in JSON mode, stdout has one object and stderr has only log lines", async () => {
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

Deno.test("in JSON mode, a prompt becomes an error that names the commands to use", async () => {
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

/** Starts a login and passes its code to `approves`. Returns the CLI's result. */
async function logIn(box: Sandbox, approves: (code: string) => Promise<unknown>) {
  const { SVC_TOKEN: _, ...env } = box.env;
  let errors = "";
  const login = startTool(["login", "--json"], {
    cwd: box.site,
    env,
    onLine: (line) => errors += line,
  });
  const code = () => /approve the code ([A-Z]{4}-[A-Z]{4})/.exec(errors)?.[1];
  await approves((await until(code))!);
  return await login.result;
}

Deno.test("link, login and workspace switch match the contract", async () => {
  await withSandbox(async (box) => {
    await box.start();
    const platform = callerOf(box);
    const { browser, workspaceId } = await signUpWithWorkspace(platform, "ada");
    await browser.send("POST", "/v1/workspaces", { json: { slug: "second", name: "Second" } });
    const { code, stdout } = await logIn(box, (code) => approve(browser, code, workspaceId));
    assert.equal(code, 0, stdout);
    assert.equal((oneObject(stdout).workspace as { slug: string }).slug, "ada");
    const stored = await Deno.readTextFile(
      join(box.env.HOME!, ".config", "svc", "credentials.json"),
    );
    assert.match(stored, /"ada"/);
    delete box.env.SVC_TOKEN;
    const current = async () => ((await box.json(["whoami"])).workspace as { slug: string }).slug;
    assert.equal(await current(), "ada");
    const unknown = await box.tool(["workspace", "switch", "nowhere", "--json"]);
    assert.deepEqual([unknown.code, oneObject(unknown.stdout).code], [1, "not_found"]);
    await box.json(["workspace", "switch", "ada"]);
    assert.equal(await current(), "ada");
    await box.json(["projects", "create", "shop"]);
    await Deno.mkdir(join(box.site, "below"));
    for (const words of [["link"], ["link", "below"]]) {
      const { project } = await box.json([...words, "--project-id", "shop"]);
      assert.equal((project as { name: string }).name, "shop");
      const config = await Deno.readTextFile(join(box.site, words[1] ?? "", "svc.toml"));
      assert.match(config, /^id = "[0-9a-f-]{36}"$/m);
    }
  });
});

Deno.test("an interrupted command exits with code 130 and one error object", async () => {
  await withSandbox(async (box) => {
    await box.start();
    const { SVC_TOKEN: _, ...env } = box.env;
    let errors = "";
    const login = startTool(["login", "--json"], {
      cwd: box.site,
      env,
      onLine: (line) => errors += line,
    });
    await until(() => errors.includes("approve the code"));
    Deno.kill(login.pid, "SIGINT");
    const { code, stdout } = await login.result;
    const { error, code: machineCode } = oneObject(stdout);
    assert.deepEqual([code, error, machineCode], [130, "Interrupted", "interrupted"]);
  });
});

Deno.test("errors in svc.toml are reported with file, line and column", async () => {
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

Deno.test("a failing build fails the deployment, and nothing goes live", needs("sh"), async () => {
  await withSandbox(async (box) => {
    await linked(box);
    const told = await box.tool(["deploy", "--prod", "--build-command", "exit 7", "--json"]);
    assert.equal(told.code, 1);
    assert.match(String(oneObject(told.stdout).error), /7/);
    assert.equal((await box.page("contract.localhost", "/")).status, 404);
  });
});

Deno.test("a build on a machine without a shell reports that /bin/sh is missing", {
  ignore: !isEmpty(),
}, async () => {
  await withSandbox(async (box) => {
    await linked(box);
    const told = await box.tool(["deploy", "--prod", "--build-command", "true", "--json"]);
    assert.equal(told.code, 1);
    const { error, code } = oneObject(told.stdout);
    assert.equal(code, "unsupported");
    assert.equal(error, "Cannot start /bin/sh: it is not installed on this machine");
  });
});
