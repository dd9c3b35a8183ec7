/** Tests the decisions that `env` commands make without a prompt. */
import assert from "node:assert/strict";
import { personWho } from "../_test_run.ts";
import fc from "fast-check";
import type { EnvDeclaration } from "../../config/project_config.ts";
import type { Variable } from "../../contract/variables.ts";
import { childVariables, isSteering } from "../../lib/child_variables.ts";
import { withoutFinalNewline } from "../command/read_value.ts";
import { CliError } from "../errors/cli_error.ts";
import { createSuggestedCommands } from "../errors/suggested_commands.ts";
import { parseDotenv } from "./dotenv_file.ts";
import { findExposed, findMissing } from "./missing_variables.ts";
import { categoryOfFlags, chooseCategory } from "./variable_category.ts";
import { checkVariableName } from "./variable_name.ts";

const sensitive: EnvDeclaration = { visibility: "sensitive", required: true };
const plain: EnvDeclaration = { visibility: "plain", required: true };
const optional: EnvDeclaration = { visibility: "plain", required: false };

const variable = (key: string, scope: string, category: Variable["category"] = "plain") => ({
  key,
  scope,
  category,
  value: null,
  updatedAt: "2026-11-21T10:00:00.000Z",
});

const categories: [
  name: string,
  flag: "plain" | "secret" | undefined,
  declaration: EnvDeclaration | undefined,
  wanted: "plain" | "secret" | RegExp,
][] = [
  ["the flag alone", "plain", undefined, "plain"],
  ["the declaration alone", undefined, sensitive, "secret"],
  ["the plain declaration alone", undefined, plain, "plain"],
  ["a stricter flag", "secret", plain, "secret"],
  ["the same twice", "secret", sensitive, "secret"],
  ["a looser flag", "plain", sensitive, /Cannot use --plain/],
  ["nothing", undefined, undefined, /use --plain or --secret/],
];

for (const [name, flag, declaration, wanted] of categories) {
  Deno.test(`chooseCategory() decides by ${name}`, async () => {
    const choose = () => chooseCategory({ prompter: undefined }, "KEY", { flag, declaration });
    if (typeof wanted === "string") assert.equal(await choose(), wanted);
    else await assert.rejects(choose, wanted);
  });
}

Deno.test("chooseCategory() asks the user if nothing sets it", async () => {
  const prompter = personWho(["secret"]);
  const facts = { flag: undefined, declaration: undefined };
  assert.equal(await chooseCategory({ prompter }, "KEY", facts), "secret");
  assert.deepEqual(prompter.asked, ["How should KEY be stored?"]);
});

Deno.test("categoryOfFlags() refuses both flags together", () => {
  assert.throws(() => categoryOfFlags({ plain: true, secret: true }), CliError);
  assert.equal(categoryOfFlags({}), undefined);
});

Deno.test("findMissing() names each required variable in each environment that lacks it", () => {
  const declarations = new Map([["A", sensitive], ["B", plain], ["C", optional]]);
  const variables = [variable("A", "all", "secret"), variable("B", "preview")];
  const missing = findMissing(declarations, variables, {
    lines: createSuggestedCommands(["deploy", "--json"], []),
    environments: ["production", "preview"],
    projectId: "shop",
  });
  assert.deepEqual(missing, [{
    key: "B",
    environment: "production",
    visibility: "plain",
    command: "svc env set B --plain --stdin --environment production --project-id shop --json",
  }]);
});

Deno.test("findExposed() names sensitive variables that are stored as plain text", () => {
  const declarations = new Map([["A", sensitive], ["B", plain]]);
  const variables = [variable("A", "all"), variable("A", "x", "secret"), variable("B", "all")];
  assert.deepEqual(findExposed(declarations, variables), [{ key: "A", scope: "all" }]);
});

Deno.test("withoutFinalNewline() removes only one line break", () => {
  const rows: [string, string][] = [
    ["a\n", "a"],
    ["a\r\n", "a"],
    ["a\n\n", "a\n"],
    ["a", "a"],
    ["\n", ""],
    ["a\r", "a\r"],
    [" a \n", " a "],
  ];
  for (const [text, wanted] of rows) assert.equal(withoutFinalNewline(text), wanted);
});

Deno.test("parseDotenv() keeps values unchanged and expands nothing", () => {
  const text = [
    "A=$(id) # comment",
    "B=${HOME}",
    'C="two\nlines\nX=1"',
    "export D='# kept'",
    "E=",
  ].join("\n");
  const facts = { flag: "plain" as const, declarations: new Map() };
  assert.deepEqual(parseDotenv(text, facts).problems, [
    {
      key: "E",
      message: "must not be empty. To store an empty value, use --allow-empty",
    },
  ]);
  const { entries, problems } = parseDotenv(text, { ...facts, allowEmpty: true });
  assert.deepEqual(problems, []);
  assert.deepEqual(Object.fromEntries(entries.map(({ key, value }) => [key, value])), {
    A: "$(id)",
    B: "${HOME}",
    C: "two\nlines\nX=1",
    D: "# kept",
    E: "",
  });
});

Deno.test("parseDotenv() never drops a line silently", () => {
  const text = 'A=1\nno assignment\nB="open\nA=2\n';
  const { problems } = parseDotenv(text, { flag: "plain", declarations: new Map() });
  assert.deepEqual(problems, [
    { key: "line 2", message: "is not an assignment: write NAME=value" },
    { key: "line 3", message: "has a quote that is not closed, or text after it" },
    { key: "A", message: "is set twice, on lines 1 and 4" },
  ]);
});

Deno.test("parseDotenv() never allows a flag to make a declared secret plain", () => {
  const declarations = new Map([["A", sensitive], ["B", plain]]);
  const { entries } = parseDotenv("A=1\nB=2\nC=3", { flag: "plain", declarations });
  assert.deepEqual(entries.map(({ category }) => category), ["secret", "plain", "plain"]);
});

Deno.test("parseDotenv() reports problems without values, regardless of the file's content", () => {
  const options = { flag: "secret" as const, declarations: new Map() };
  fc.assert(fc.property(fc.string(), fc.stringMatching(/^[a-z.-]{1,8}$/), (noise, name) => {
    const { problems } = parseDotenv(`${noise}\n${name}=planted-secret\n`, options);
    assert.ok(problems.every(({ message }) => !message.includes("planted-secret")));
  }));
  const bad = parseDotenv("A-B=planted-secret\nC=", options);
  assert.deepEqual(bad.problems.map(({ key }) => key), ["A-B", "C"]);
});

Deno.test("checkVariableName() never repeats text after an equals sign", () => {
  fc.assert(fc.property(fc.string(), (name) => {
    assert.throws(() => checkVariableName(`${name}=planted-secret`), (error) => {
      assert.ok(error instanceof CliError);
      assert.ok(!JSON.stringify([error.message, error.facts]).includes("planted-secret"));
      return true;
    });
  }));
});

Deno.test("childVariables() lets the project's variables override the parent's, except steering ones", () => {
  const parent = { HOME: "/home", A: "own", GONE: undefined, PATH: "/bin" };
  const { env, heldBack } = childVariables(parent, { A: "1", PATH: "/evil", LD_X: "1" }, ["LD_X"]);
  assert.deepEqual(env, { HOME: "/home", A: "1", PATH: "/bin", LD_X: "1" });
  assert.deepEqual(heldBack, ["PATH"]);
});

Deno.test("isSteering() recognizes variables of loaders, shells and runtimes, in any case", () => {
  for (const name of ["PATH", "Path", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "BASH_FUNC_a"]) {
    assert.ok(isSteering(name), name);
  }
  for (const name of ["PATHS", "API_KEY", "NODE_ENV", "OLD_PATH"]) assert.ok(!isSteering(name));
});
