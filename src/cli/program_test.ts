import assert from "node:assert/strict";
import { personWho, runCli } from "./_test_run.ts";
import { inTestFolder } from "../lib/_test_folder.ts";
import { untilAborted } from "../lib/_test_until_aborted.ts";

interface Row {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env?: Record<string, string>;
  readonly code: number;
  /** Members that the JSON error object must have. */
  readonly error: Record<string, unknown>;
}

const rows: readonly Row[] = [
  {
    name: "an unknown command, with a suggestion",
    argv: ["deplyo"],
    code: 2,
    error: { error: "Unknown command 'deplyo'", code: "usage", hint: "Did you mean deploy?" },
  },
  {
    name: "an unknown command of a group, with a suggestion",
    argv: ["projects", "lst"],
    code: 2,
    error: { error: "Unknown command 'lst'", hint: "Did you mean one of list, ls?" },
  },
  {
    name: "a group without a command",
    argv: ["workspace"],
    code: 2,
    error: { error: "svc workspace needs a command: list, switch", code: "usage" },
  },
  {
    name: "an unknown flag, with a suggestion",
    argv: ["deploy", "--prdo"],
    code: 2,
    error: { error: "Unknown option '--prdo'", hint: "Did you mean --prod?" },
  },
  {
    name: "a number out of bounds",
    argv: ["projects", "list", "--limit", "0"],
    code: 2,
    error: { code: "usage" },
  },
  {
    name: "a missing argument",
    argv: ["projects", "info"],
    code: 2,
    error: { error: "Missing required argument 'id'", code: "usage" },
  },
  {
    name: "a surplus argument",
    argv: ["whoami", "extra"],
    code: 2,
    error: { code: "usage" },
  },
  {
    name: "an unknown framework",
    argv: ["projects", "create", "--framework", "rails"],
    code: 2,
    error: { code: "usage" },
  },
  {
    name: "an invalid API URL",
    argv: ["whoami"],
    env: { SVC_API_URL: "ftp://x" },
    code: 2,
    error: {
      error:
        "Set SVC_API_URL to an http or https URL without a query, such as http://localhost:8787" +
        ', not "ftp://x"',
    },
  },
  {
    name: "a workspace that is not a slug",
    argv: ["whoami", "--workspace", "No Slug"],
    code: 2,
    error: { code: "usage" },
  },
  {
    name: "a directory that does not exist",
    argv: ["deploy", "/does/not/exist"],
    code: 2,
    error: { error: 'The directory "/does/not/exist" does not exist' },
  },
  {
    name: "a missing key",
    argv: ["whoami"],
    code: 1,
    error: {
      error: "No login or key for http://localhost:8787",
      code: "unauthorized",
      docs: "svc explain unauthorized",
      next: ["svc login --json"],
    },
  },
  {
    name: "two mutually exclusive flags",
    argv: ["init", "--create", "--project-id", "x"],
    code: 2,
    error: { error: "Use either --create or --project-id" },
  },
];

for (const { name, argv, env, code, error } of rows) {
  Deno.test(`runProgram() reports ${name} in JSON mode`, async () => {
    const run = await runCli([...argv, "--json"], { env: env ?? {} });
    assert.equal(run.code, code);
    const value = JSON.parse(run.stdout);
    for (const [member, wanted] of Object.entries(error)) assert.deepEqual(value[member], wanted);
  });

  Deno.test(`runProgram() reports ${name} to people on stderr only`, async () => {
    const run = await runCli(argv, { env: env ?? {} });
    assert.equal(run.code, code);
    assert.equal(run.stdout, "");
    assert.match(run.stderr, /^error: /);
  });
}

Deno.test("runProgram() never repeats a token", async () => {
  const secret = "sëcret-token";
  for (const given of [["--token", secret], []]) {
    const run = await runCli(["whoami", "--json", ...given], { env: { SVC_TOKEN: secret } });
    assert.equal(run.code, 2);
    assert.ok(!run.stdout.includes(secret) && !run.stderr.includes(secret));
  }
});

Deno.test("runProgram() accepts global flags before and after the command", async () => {
  for (
    const argv of [
      ["--json", "--token", "key", "--api-url", "http://a.test", "whoami"],
      ["whoami", "--api-url", "http://a.test", "--token=key", "--json"],
    ]
  ) {
    const seen: Request[] = [];
    const run = await runCli(argv, {
      fetch: (input, init) => {
        seen.push(new Request(input, init));
        return Promise.resolve(new Response(null, { status: 418 }));
      },
    });
    assert.equal(run.code, 1);
    assert.equal(seen[0]?.url, "http://a.test/v1/me");
    assert.equal(seen[0]?.headers.get("authorization"), "Bearer key");
    assert.ok("error" in JSON.parse(run.stdout));
  }
});

Deno.test("runProgram() prefers flags to variables", async () => {
  const seen: Request[] = [];
  await runCli(["whoami", "--token", "flag", "--workspace", "flag-ws"], {
    env: { SVC_TOKEN: "variable", SVC_WORKSPACE: "variable-ws", SVC_API_URL: "http://b.test/" },
    fetch: (input, init) => {
      seen.push(new Request(input, init));
      return Promise.resolve(new Response(null, { status: 418 }));
    },
  });
  assert.equal(seen[0]?.url, "http://b.test/v1/me");
  assert.equal(seen[0]?.headers.get("authorization"), "Bearer flag");
  assert.equal(seen[0]?.headers.get("x-workspace"), "flag-ws");
});

Deno.test("runProgram() explains a platform that does not respond", async () => {
  const run = await runCli(["logs", "--project-id", "x", "--json"], {
    env: { SVC_TOKEN: "key", SVC_API_URL: "http://nowhere.test" },
    signal: AbortSignal.any([]),
  });
  assert.equal(run.code, 1);
  const value = JSON.parse(run.stdout);
  assert.equal(value.code, "unreachable");
  assert.equal(value.error, "Cannot reach the platform at http://nowhere.test");
});

Deno.test("runProgram() exits with 130 when interrupted", async () => {
  const stop = new AbortController();
  const run = runCli(["whoami", "--json"], {
    env: { SVC_TOKEN: "key" },
    signal: stop.signal,
    fetch: (_, init) => {
      const answer = untilAborted(init!.signal!);
      stop.abort(new DOMException("Interrupted", "AbortError"));
      return answer;
    },
  });
  const { code, stdout } = await run;
  assert.equal(code, 130);
  assert.deepEqual(JSON.parse(stdout), {
    error: "Interrupted",
    code: "interrupted",
    hint:
      "The platform may have completed requests in progress. Check the state, then run the command again.",
    docs: "svc explain interrupted",
  });
});

Deno.test("runProgram() explains a key that the platform refuses", async () => {
  const body = { error: "Unknown key", code: "unauthorized", requestId: "r1" };
  const run = await runCli(["whoami", "--json"], {
    env: { SVC_TOKEN: "key" },
    fetch: () => Promise.resolve(Response.json(body, { status: 401 })),
  });
  assert.equal(run.code, 1);
  assert.deepEqual(JSON.parse(run.stdout), {
    ...body,
    docs: "svc explain unauthorized",
    hint: "Log in again, or set SVC_TOKEN to a valid key for http://localhost:8787",
    next: ["svc login --json"],
  });
});

const commandsOf = (help: string): string[] =>
  JSON.parse(help).commands.map(({ command }: { command: string }) => command);

Deno.test("runProgram() prints version and help as data, in JSON mode as one object", async () => {
  const { version } = JSON.parse((await runCli(["--version", "--json"])).stdout);
  assert.equal((await runCli(["-v"])).stdout, `${version}\n`);
  const help = await runCli(["help", "deploy"]);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /^Usage: svc deploy \[flags\] \[dir\]\n/);
  const json = await runCli(["deploy", "--help", "--json"]);
  assert.equal(JSON.parse(json.stdout).help, help.stdout.trimEnd());
  assert.deepEqual(commandsOf(json.stdout), ["svc deploy"]);
  assert.deepEqual(commandsOf((await runCli(["env", "--help", "--json"])).stdout).slice(0, 2), [
    "svc env list",
    "svc env set",
  ]);
  const all = (await runCli(["--help", "--json"])).stdout;
  assert.ok(commandsOf(all).length > 100);
  const { flags, commands } = JSON.parse(all);
  assert.ok(flags.some(({ flag }: { flag: string }) => flag === "--json"));
  const [remove] = commands.filter(({ command }: { command: string }) =>
    command === "svc domains remove"
  );
  assert.deepEqual(remove.arguments.map(({ name }: { name: string }) => name), ["domain_id"]);
});

Deno.test("runProgram() deletes nothing if the user answers no", async () => {
  const project = { id: "0199e2e8-5f0f-7e11-8a33-0242ac120002", name: "blog" };
  const methods: string[] = [];
  const person = personWho([false]);
  const run = await runCli(["projects", "delete", "blog"], {
    env: { SVC_TOKEN: "key" },
    prompter: person,
    fetch: (input, init) => {
      methods.push(new Request(input, init).method);
      return Promise.resolve(Response.json({
        ...project,
        displayName: null,
        gitUrl: null,
        branch: "main",
        framework: null,
        installCommand: null,
        buildCommand: null,
        outputDirectory: null,
        rootDirectory: null,
        nodeVersion: null,
        workspace: "default",
        url: "http://blog.localhost:8787/",
        productionDeploymentId: null,
        createdAt: "2026-11-21T10:00:00.000Z",
        updatedAt: "2026-11-21T10:00:00.000Z",
      }));
    },
  });
  assert.deepEqual(methods, ["GET"]);
  assert.equal(person.asked.length, 1);
  assert.equal(run.code, 1);
  assert.match(run.stderr, /error: Nothing deleted/);
});

for (const env of [{ NO_COLOR: "1" }, { CLICOLOR: "0" }, { TERM: "dumb" }]) {
  Deno.test(`runProgram() prompts in plain lines with ${JSON.stringify(env)}`, async () => {
    await inTestFolder(async (cwd) => {
      const run = await runCli(["init"], { cwd, env, terminal: true });
      assert.equal(run.code, 130);
      assert.match(run.stderr, /^Name of the project \[svc-test-\w+\]: /);
      assert.ok(!run.stderr.includes("\x1b"));
    });
  });
}
