import assert from "node:assert/strict";
import { runCli } from "../_test_run.ts";
import { SHELLS } from "./complete.ts";

const rows: [name: string, words: string[], values: string[]][] = [
  ["a command", ["roll"], ["rollback"]],
  ["the commands of a group", ["workspace", ""], ["list", "switch"]],
  ["a flag of the command", ["deploy", "--pr"], ["--prod", "--project-id"]],
  ["a global flag", ["--js"], ["--json"]],
  ["a global flag after the command", ["whoami", "--tok"], ["--token"]],
  ["the choices of a flag", ["rules", "explain", "GET", "/", "--device", "t"], ["tablet"]],
  ["the choices of an argument", ["completion", "z"], ["zsh"]],
  ["nothing for an unknown command", ["nosuch", "x"], []],
];

for (const [name, words, values] of rows) {
  Deno.test(`svc complete offers ${name}`, async () => {
    const { code, stdout } = await runCli(["complete", "--", ...words]);
    assert.equal(code, 0);
    const lines = stdout.trimEnd().split("\n");
    assert.equal(lines.at(-1), ":4");
    assert.deepEqual(lines.slice(0, -1).map((line) => line.split("\t")[0]), values);
  });
}

Deno.test("svc completion prints a script for each shell, and in JSON mode a single object", async () => {
  for (const shell of SHELLS) {
    const { code, stdout } = await runCli(["completion", shell]);
    assert.equal(code, 0);
    assert.match(stdout, /svc complete '?--'?/);
    const json = await runCli(["completion", shell, "--json"]);
    assert.equal(JSON.parse(json.stdout).script, stdout.trimEnd());
  }
});

Deno.test("svc complete does not appear in help", async () => {
  const { stdout } = await runCli(["--help"]);
  assert.match(stdout, /^ {2}completion /m);
  assert.doesNotMatch(stdout, /^ {2}complete /m);
});

Deno.test("svc complete asks the platform for names, and offers nothing if it does not respond", async () => {
  const asked: string[] = [];
  const project = {
    id: "0199e2e8-5f0f-7e11-8a33-0242ac120002",
    name: "blog",
    url: "http://blog.localhost/",
  };
  const platform: typeof fetch = (input, init) => {
    asked.push(new URL(new Request(input, init).url).pathname);
    return Promise.resolve(Response.json({
      items: [{
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
        productionDeploymentId: null,
        workspace: "default",
        createdAt: "2026-11-21T10:00:00.000Z",
        updatedAt: "2026-11-21T10:00:00.000Z",
      }],
      nextCursor: null,
    }));
  };
  const env = { SVC_TOKEN: "key" };
  for (const words of [["projects", "info", ""], ["deploy", "--project-id", "b"]]) {
    const { stdout } = await runCli(["complete", "--", ...words], { env, fetch: platform });
    assert.equal(stdout, "blog\thttp://blog.localhost/\n:4\n");
  }
  assert.deepEqual(asked, ["/v1/projects", "/v1/projects"]);
  const offline = await runCli(["complete", "--", "projects", "info", ""], { env });
  assert.deepEqual([offline.code, offline.stdout], [0, ":4\n"]);
});
