import assert from "node:assert/strict";
import { runCli } from "../_test_run.ts";
import { COMMANDS } from "../command_tree.ts";
import {
  findCommand,
  namedWords,
  resolveNamedInput,
  resolveSwitches,
  withoutHelpFlags,
} from "./arguments.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const ROWS: readonly (readonly [string, string | undefined, boolean])[] = [
  ["deploy --prod", "deploy", false],
  ["--workspace acme projects list", "list", false],
  ["projects ls", "list", false],
  ["domains rm", "remove", false],
  ["hooks add", "create", false],
  ["deployments", "list", false],
  ["deployments --limit 5", "list", false],
  ["deployments lst", undefined, true],
  ["deployments --help", "list", false],
  ["db branches", "list", false],
  ["db branches --database shop", "list", false],
  ["db branches add x", "create", false],
  ["db branches --help", undefined, false],
  ["--project-id blog domains list", "list", false],
  ["domains --project-id list add", "add", false],
  ["projects", undefined, false],
  ["projects lst", undefined, true],
  ["nonsense", undefined, true],
  ["--json", undefined, false],
  ["ls", "list", false],
];

for (const [line, name, isUnknown] of ROWS) {
  Deno.test(`findCommand() reads "${line}"`, () => {
    const found = findCommand(line.split(" "), COMMANDS);
    assert.deepEqual([found.leaf?.name, found.isUnknown], [name, isUnknown]);
  });
}

Deno.test("findCommand() returns the default command of a group", () => {
  const { argv } = findCommand(["--json", "deployments", "--limit", "5"], COMMANDS);
  assert.deepEqual(argv, ["--json", "deployments", "list", "--limit", "5"]);
});

Deno.test("findCommand() puts --project-id after the command", () => {
  const argvOf = (line: string) => findCommand(line.split(" "), COMMANDS).argv.join(" ");
  assert.equal(
    argvOf("domains --project-id blog --json list"),
    "domains --json list --project-id blog",
  );
  assert.equal(argvOf("domains --project-id=blog rm x"), "domains rm --project-id=blog x");
  assert.equal(argvOf("--project-id blog deployments"), "deployments list --project-id blog");
  assert.equal(argvOf("domains list --project-id blog"), "domains list --project-id blog");
});

Deno.test("namedWords() names a group or a command, and skips flags and their values", () => {
  const words = (line: string) => namedWords(line.split(" "), COMMANDS).join(" ");
  assert.equal(words("--workspace deploy db branches --help"), "db branches");
  assert.equal(words("db branches rm old"), "db branches delete");
  assert.equal(words("deploy env --help"), "deploy");
  assert.equal(words("--help"), "");
});

Deno.test("withoutHelpFlags() does not change commands without a help flag", () => {
  assert.deepEqual(withoutHelpFlags(["deplyo", "-h", "--prod", "--version"]), ["deplyo", "--prod"]);
});

Deno.test("resolveSwitches() accepts true and false for flags that take no value", () => {
  const flags = [
    { long: "--prod", short: undefined, takesValue: false },
    { long: "--branch", short: undefined, takesValue: true },
  ];
  const resolve = (...argv: string[]) => resolveSwitches(argv, flags);
  assert.deepEqual(resolve("--prod=true", "--branch=true"), ["--prod", "--branch=true"]);
  assert.deepEqual(resolve("--prod=false", "x"), ["x"]);
  assert.deepEqual(resolve("exec", "--", "--prod=true"), ["exec", "--", "--prod=true"]);
  assert.deepEqual(resolve("--other=1"), ["--other=1"]);
  assert.throws(() => resolve("--prod=maybe"), { code: "usage" });
});

for (const argv of [["deplyo", "--help"], ["deplyo", "--version"], ["projects", "lst", "-h"]]) {
  Deno.test(`svc ${argv.join(" ")} exits with code 2`, async () => {
    const { code, stdout, stderr } = await runCli(argv);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /Unknown command/);
  });
}

Deno.test("--cwd runs in another directory, and refuses a path that is not a directory", async () => {
  await inTestFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/svc.rules.toml`, 'schemaVersion = "EDGE_RULE_SET_V1"\n');
    const there = await runCli(["rules", "check", "--cwd", folder, "--json"]);
    assert.match(there.stdout, /"rules"/);
    const gone = await runCli(["rules", "check", "--cwd", `${folder}/gone`]);
    assert.equal(gone.code, 2);
    assert.match(gone.stderr, /Cannot use --cwd .*\/gone: it does not exist/);
  });
});

Deno.test("svc deploy --help fits 40 columns", async () => {
  const { stdout } = await runCli(["deploy", "--help"], { terminal: true, columns: 40 });
  const long = stdout.split("\n").filter((line) => line.length > 40 && !line.startsWith("  svc "));
  assert.deepEqual(long, []);
});

Deno.test("help is complete on terminals of any width", async () => {
  for (const columns of [1, 6, 7, 20]) {
    const { code, stdout } = await runCli(["deploy", "--help"], { terminal: true, columns });
    assert.equal(code, 0, String(columns));
    assert.match(stdout, /--skip-env-check/);
  }
});

Deno.test("resolveNamedInput() accepts a name as an argument or a flag", () => {
  const value = (long: string) => ({ long, takesValue: true });
  const json = { long: "--json", takesValue: false };
  const branch = { flags: [value("--database"), json], args: ["name"], path: ["db", "create"] };
  for (const given of [["--name", "x"], ["--name=x"], ["x"]]) {
    const argv = ["db", "create", "--database", "shop", ...given, "--json"];
    const wanted = ["db", "create", "--database", "shop", "x", "--json"];
    assert.deepEqual(resolveNamedInput(argv, branch), wanted);
  }
  const create = { flags: [value("--name"), value("--branch"), json], args: [], path: ["create"] };
  assert.deepEqual(
    resolveNamedInput(["--json", "create", "--branch", "main", "blog"], create),
    ["--json", "create", "--branch", "main", "--name", "blog"],
  );
  const twice = ["create", "--name=a", "b"];
  assert.deepEqual(resolveNamedInput(twice, create), twice);
  const info = { flags: [json], args: ["database"], path: ["info"] };
  assert.deepEqual(resolveNamedInput(["info", "--database", "shop"], info), ["info", "shop"]);
  const after = ["info", "--", "--database", "x"];
  assert.deepEqual(resolveNamedInput(after, info), after);
});
