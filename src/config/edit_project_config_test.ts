import assert from "node:assert/strict";
import { join } from "node:path";
import {
  editProjectConfig,
  newProjectConfig,
  type ProjectConfigChanges,
  projectConfigSchemaText,
  saveProjectConfig,
  saveProjectConfigSchema,
  SCHEMA_COMMENT,
  SCHEMA_PATH,
} from "./edit_project_config.ts";
import { parseProjectConfig } from "./project_config.ts";
import { inTestFolder } from "../lib/_test_folder.ts";

interface Row {
  readonly name: string;
  readonly before: string;
  readonly changes: ProjectConfigChanges;
  readonly after: string;
}

const ROWS: readonly Row[] = [
  {
    name: "adds a key below its table's last key, above the next table's comment",
    before: "[project] # who\nname = 'a' # keep\n\n# about dev\n[dev]\nport = 1\n",
    changes: { project: { id: "p1" } },
    after: "[project] # who\nname = 'a' # keep\nid = \"p1\"\n\n# about dev\n[dev]\nport = 1\n",
  },
  {
    name: "adds a key to an empty table",
    before: "[project]\n[dev]\n",
    changes: { project: { id: "p1" } },
    after: '[project]\nid = "p1"\n[dev]\n',
  },
  {
    name: "adds a table at the end, after comments",
    before: "[dev]\nport = 1\n# host = 'x'",
    changes: { project: { id: "p1" } },
    after: "[dev]\nport = 1\n# host = 'x'\n\n[project]\nid = \"p1\"\n",
  },
  {
    name: "keeps Windows line endings",
    before: "[project]\r\nname = 'a'\r\n",
    changes: { project: { id: "p1" }, dev: { port: 2 } },
    after: "[project]\r\nname = 'a'\r\nid = \"p1\"\r\n\r\n[dev]\r\nport = 2\r\n",
  },
  {
    name: "keeps a byte order mark",
    before: "\uFEFF[dev]\nport = 1\n",
    changes: { dev: { port: 2 } },
    after: "\uFEFF[dev]\nport = 2\n",
  },
  {
    name: "does not add a missing final line ending",
    before: "[dev]\nport = 1",
    changes: { dev: { host: "h" } },
    after: '[dev]\nport = 1\nhost = "h"',
  },
  {
    name: "keeps indentation",
    before: "[dev]\n\tport = 1 # one\n",
    changes: { dev: { host: "h" } },
    after: '[dev]\n\tport = 1 # one\n\thost = "h"\n',
  },
  {
    name: "follows dotted keys",
    before: "dev.port = 1 # one\nproject.name = 'a'\n",
    changes: { dev: { host: "h" } },
    after: "dev.port = 1 # one\ndev.host = \"h\"\nproject.name = 'a'\n",
  },
  {
    name: "follows dotted keys in a table",
    before: "[env]\ndeclarations.A = 'plain'\n",
    changes: { env: { declarations: { B: "sensitive" } } },
    after: "[env]\ndeclarations.A = 'plain'\ndeclarations.B = \"sensitive\"\n",
  },
  {
    name: "follows inline tables, including nested ones",
    before: "project = { name = 'a' } # keep\nenv = {}\n",
    changes: { project: { id: "p1" }, env: { declarations: { A: "plain" } } },
    after: 'project = { name = \'a\', id = "p1" } # keep\nenv = { declarations.A = "plain" }\n',
  },
  {
    name: "removes keys from any position in inline tables",
    before: "project = { name = 'a', id = 'b', workspace = 'c' }\ndb = { branch = 'x' }\n",
    changes: { project: { name: null, workspace: null }, db: { branch: null } },
    after: "project = { id = 'b' }\ndb = {}\n",
  },
  {
    name: "removes a line with its comment and leaves comments above",
    before: "[dev]\n# the port\nport = 1 # one\nhost = 'h'\n",
    changes: { dev: { port: null } },
    after: "[dev]\n# the port\nhost = 'h'\n",
  },
  {
    name: "does nothing if there is nothing to remove",
    before: "[dev]\nport = 1\n",
    changes: { dev: { host: null, aliases: { x: null } } },
    after: "[dev]\nport = 1\n",
  },
  {
    name: "keeps a value that is already correct, in any spelling",
    before: "[dev]\nport = 0x10 # hex\nhost = 'h'\n",
    changes: { dev: { port: 16, host: "h", command: undefined } },
    after: "[dev]\nport = 0x10 # hex\nhost = 'h'\n",
  },
  {
    name: "changes elements of a multi-line array and keeps its comments",
    before: "[build]\noutput_dirs = [\n  'a', # A\n  'b' # B\n]\n",
    changes: { build: { outputDirs: ["a", "x", "c"] } },
    after: '[build]\noutput_dirs = [\n  \'a\', # A\n  "x", # B\n  "c"\n]\n',
  },
  {
    name: "appends after a trailing comma",
    before: "[build]\noutput_dirs = [\n  'a', # A\n]\n",
    changes: { build: { outputDirs: ["a", "c", "d"] } },
    after: '[build]\noutput_dirs = [\n  \'a\', # A\n  "c",\n  "d",\n]\n',
  },
  {
    name: "appends before a bracket on the last element's line",
    before: "[build]\noutput_dirs = ['a',\n  'b'] # dirs\n",
    changes: { build: { outputDirs: ["a", "b", "c"] } },
    after: "[build]\noutput_dirs = ['a',\n  'b',\n  \"c\"] # dirs\n",
  },
  {
    name: "shortens a multi-line array",
    before: "[build]\noutput_dirs = [\n  'a', # A\n  'b', # B\n]\n",
    changes: { build: { outputDirs: ["a"] } },
    after: "[build]\noutput_dirs = [\n  'a', # A\n]\n",
  },
  {
    name: "shortens an array that closes on the last element's line",
    before: "[build]\noutput_dirs = ['a', # A\n  'b', 'c'] # dirs\n",
    changes: { build: { outputDirs: ["a"] } },
    after: "[build]\noutput_dirs = ['a', # A\n] # dirs\n",
  },
  {
    name: "drops elements in the middle of a line",
    before: "[build]\noutput_dirs = [\n  'a', 'b', # AB\n]\n",
    changes: { build: { outputDirs: ["a"] } },
    after: "[build]\noutput_dirs = [\n  'a', # AB\n]\n",
  },
  {
    name: "writes a declaration table instead of a shorthand",
    before: "[env.declarations]\nA = 'plain' # a\n",
    changes: { env: { declarations: { A: { visibility: "plain", required: false } } } },
    after: '[env.declarations]\nA = { visibility = "plain", required = false } # a\n',
  },
  {
    name: "changes a declaration with its own table",
    before: "[env.declarations.A]\n# why\nvisibility = 'plain'\n",
    changes: { env: { declarations: { A: { visibility: "plain", required: false } } } },
    after: "[env.declarations.A]\n# why\nvisibility = 'plain'\nrequired = false\n",
  },
  {
    name: "writes a shorthand even if there is a separate table",
    before: "[env.declarations.A]\nvisibility = 'plain'\n\n[dev]\nport = 1\n",
    changes: { env: { declarations: { A: "sensitive" } } },
    after: '\n[dev]\nport = 1\n\n[env.declarations]\nA = "sensitive"\n',
  },
  {
    name: "quotes names and escapes text",
    before: "",
    changes: { dev: { command: 'echo "a\\b"\t\x7f', aliases: { "a:b": "x", "": "y" } } },
    after:
      '[dev]\ncommand = "echo \\"a\\\\b\\"\\t\\u007F"\n\n[dev.aliases]\n"a:b" = "x"\n"" = "y"\n',
  },
];

for (const { name, before, changes, after } of ROWS) {
  Deno.test(`editProjectConfig() ${name}`, () => {
    assert.equal(editProjectConfig(before, changes), after);
  });
}

Deno.test("editProjectConfig() refuses to write through a value that is not a table", () => {
  assert.throws(() => editProjectConfig("project = 3\n", { project: { id: "x" } }), TypeError);
});

Deno.test("editProjectConfig() refuses text that is not TOML", () => {
  assert.throws(() => editProjectConfig("project = \n", { project: { id: "x" } }), SyntaxError);
});

Deno.test("newProjectConfig() starts with the schema reference and is valid", () => {
  const source = newProjectConfig({
    project: { name: "my-site" },
    build: { outputDirs: ["dist"] },
  });
  assert.equal(
    source,
    `${SCHEMA_COMMENT}\n\n[project]\nname = "my-site"\n\n[build]\noutput_dirs = ["dist"]\n`,
  );
  assert.equal(parseProjectConfig(source).config?.project.name, "my-site");
});

Deno.test("saveProjectConfig() writes valid text and leaves no other file behind", () =>
  inTestFolder(async (directory) => {
    await saveProjectConfig(directory, "[dev]\nport = 1\n");
    assert.equal(await Deno.readTextFile(join(directory, "svc.toml")), "[dev]\nport = 1\n");
    assert.deepEqual([...Deno.readDirSync(directory)].map(({ name }) => name), ["svc.toml"]);
  }));

Deno.test("saveProjectConfig() refuses invalid text and keeps the existing file", () =>
  inTestFolder(async (directory) => {
    await saveProjectConfig(directory, "[dev]\nport = 1\n");
    await assert.rejects(saveProjectConfig(directory, "[dev]\nport = 0\n"), /svc\.toml:2:8/);
    assert.equal(await Deno.readTextFile(join(directory, "svc.toml")), "[dev]\nport = 1\n");
  }));

Deno.test("saveProjectConfig() writes through a symbolic link and keeps permissions", () =>
  inTestFolder(async (directory) => {
    const shared = join(directory, "shared.toml");
    await Deno.writeTextFile(shared, "", { mode: 0o600 });
    await Deno.symlink(shared, join(directory, "svc.toml"));
    await saveProjectConfig(directory, "[dev]\nport = 1\n");
    assert.equal(await Deno.readTextFile(shared), "[dev]\nport = 1\n");
    assert.equal(((await Deno.stat(shared)).mode ?? 0) & 0o777, 0o600);
    assert.equal((await Deno.lstat(join(directory, "svc.toml"))).isSymlink, true);
  }));

Deno.test("saveProjectConfigSchema() writes once, and again if the text differs", () =>
  inTestFolder(async (directory) => {
    assert.equal(await saveProjectConfigSchema(directory), true);
    assert.equal(await saveProjectConfigSchema(directory), false);
    await Deno.writeTextFile(join(directory, SCHEMA_PATH), "{}");
    assert.equal(await saveProjectConfigSchema(directory), true);
    assert.equal(await Deno.readTextFile(join(directory, SCHEMA_PATH)), projectConfigSchemaText());
  }));
