/**
 * Checks that, wherever the CLI reads text, it rejects files that are not UTF-8, and names the
 * file, line and column.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { withPlatform } from "./_test_platform.ts";
import { runCli } from "./_test_run.ts";
import { inTestFolder } from "../lib/_test_folder.ts";

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "private"
condition.path = { type = "glob", value = "/café/**" }
action = { type = "deny" }
`;

const CONFIG = `[project]\nid = "01890000-0000-7000-8000-000000000001"\nname = "shop"\n`;

/** Encodes text like an editor that uses Latin-1. */
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

async function inFolder(
  files: Readonly<Record<string, string>>,
  test: (cwd: string) => Promise<void>,
): Promise<void> {
  await inTestFolder(async (cwd) => {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(join(cwd, path)), { recursive: true });
      await Deno.writeFile(join(cwd, path), latin1(text));
    }
    await test(cwd);
  });
}

interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
  /** The message, which contains the file's name and the position. */
  readonly message: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

const CASES: readonly Case[] = [
  {
    name: "rules check",
    files: { "svc.rules.toml": RULES },
    argv: ["rules", "check"],
    message: /svc\.rules\.toml:5:48: error: Save the file as UTF-8: byte 0xE9 at offset 108/,
  },
  {
    name: "rules explain",
    files: { "edge.toml": RULES },
    argv: ["rules", "explain", "GET", "/", "--rules", "edge.toml"],
    message: /edge\.toml:5:48: error: Save the file as UTF-8/,
  },
  {
    name: "rules test",
    files: {
      "svc.rules.toml": RULES.replace("é", "e"),
      "svc.rules.test.toml": '[[tests]]\nname = "café"\n',
    },
    argv: ["rules", "test"],
    message: /svc\.rules\.test\.toml:2:12: error: Save the file as UTF-8/,
  },
  ...["_redirects", "_headers", "vercel.json"].map((file) => ({
    name: `rules import ${file}`,
    files: { [file]: "/a /b\n/café /c\n" },
    argv: ["rules", "import", file, "--output", "out.toml"],
    message: new RegExp(`${file.replace(".", "\\.")}:2:5: error: Save the file as UTF-8`),
  })),
  {
    name: "svc.toml",
    files: { "svc.toml": `${CONFIG}# café\n` },
    argv: ["build"],
    message: /svc\.toml:4:6: error: Save the file as UTF-8/,
  },
  {
    name: "credentials",
    files: { "config/svc/credentials.json": '{"version":1,\n"é":1}' },
    argv: ["whoami"],
    message: /credentials\.json: line 2, column 2 is not UTF-8/,
  },
  {
    name: "package.json",
    files: { "package.json": '{\n  "name": "café"}' },
    argv: ["init", "--name", "shop"],
    message: /package\.json:2:15: error: Save the file as UTF-8/,
  },
];

for (const { name, files, argv, message, env } of CASES) {
  Deno.test(`${name} refuses files that are not UTF-8, with the position`, () =>
    inFolder(files, async (cwd) => {
      const home = { HOME: cwd, XDG_CONFIG_HOME: join(cwd, "config") };
      const outcome = await runCli(argv, { cwd, env: { ...home, ...env } });
      assert.match(outcome.stderr, message);
      assert.notEqual(outcome.code, 0);
      await assert.rejects(Deno.stat(join(cwd, "out.toml")), Deno.errors.NotFound);
    }));
}

Deno.test("deploy and env set refuse files that are not UTF-8", async (t) => {
  await withPlatform(async ({ site, json, run, write }) => {
    await json(["projects", "create", "--name", "shop", "--link"]);
    const rows: readonly [file: string, text: string, argv: readonly string[], RegExp][] = [
      ["svc.rules.toml", RULES, ["deploy"], /svc\.rules\.toml:5:48: error: Save the file as UTF-8/],
      [
        ".svc/manifest.json",
        '{\n"version": 1, "é": 1}',
        ["deploy"],
        /Line 2, column 16: Save the file as UTF-8/,
      ],
      [
        ".svc/context.json",
        '{"é":1}',
        ["env", "list"],
        /context\.json: line 1, column 3: Save the file as UTF-8/,
      ],
      [
        ".env",
        "A=1\nB=café\n",
        ["env", "set", "--from-file", ".env", "--all-keys", "--plain"],
        /"\.env" is not UTF-8 at line 2, column 6/,
      ],
    ];
    for (const [file, text, argv, message] of rows) {
      await t.step(file, async () => {
        await write(file, "");
        await Deno.writeFile(join(site, file), latin1(text));
        const outcome = await run(argv);
        assert.match(outcome.stderr, message);
        assert.notEqual(outcome.code, 0);
        await Deno.remove(join(site, file));
      });
    }
  });
});
