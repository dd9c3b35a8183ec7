import assert from "node:assert/strict";
import { join } from "node:path";
import { inTestFolder } from "../../lib/_test_folder.ts";
import { runProgram } from "../../lib/spawn_program.ts";
import { compileServerEntry } from "./compile_server.ts";

/** Writes files, compiles the entry among them, and runs it on Node. */
async function run(files: Readonly<Record<string, string>>, entry: string): Promise<string> {
  return await inTestFolder(async (folder) => {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(join(folder, path, ".."), { recursive: true });
      await Deno.writeTextFile(join(folder, path), text);
    }
    const compiled = await compileServerEntry(join(folder, entry), { cacheDir: folder });
    if (!compiled.ok) return compiled.problems.map(({ message }) => message).join("\n");
    const made = join(folder, "src", "made.mjs");
    await Deno.writeFile(made, compiled.source);
    const { stdout, stderr } = await runProgram("node", { args: [made], stderr: "piped" });
    return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  });
}

const ROWS: Readonly<Record<string, readonly [Readonly<Record<string, string>>, string]>> = {
  "imports without extensions, aliases and enums": [
    {
      "tsconfig.json": '{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}',
      "src/a.ts": "export enum Size { Small = 2 }",
      "src/b.ts": "export const b: string = 'b';",
      "src/index.ts":
        "import { Size } from './a'; import { b } from '@/b';\nconsole.log(Size.Small, b);",
    },
    "2 b\n",
  ],
  "JSX": [
    {
      "tsconfig.json": '{"compilerOptions":{"jsx":"react-jsx","jsxImportSource":"made"}}',
      "node_modules/made/package.json": '{"name":"made","exports":{"./jsx-runtime":"./jsx.js"}}',
      "node_modules/made/jsx.js": "exports.jsx = (name) => '<' + name + '>';",
      "src/index.tsx": "console.log(<p />);",
    },
    "<p>\n",
  ],
  "CommonJS packages and variables": [
    {
      "node_modules/kept/package.json": '{"name":"kept","main":"index.js"}',
      "node_modules/kept/index.js": "exports.file = __filename;",
      "src/index.ts": "import { basename } from 'path'; import { file } from 'kept';\n" +
        "console.log(basename(file), require('kept') !== undefined, basename(__dirname));",
    },
    "index.js true src\n",
  ],
};

for (const [name, [files, expected]] of Object.entries(ROWS)) {
  Deno.test(`compileServerEntry() runs ${name}`, async () => {
    const entry = Object.keys(files).find((path) => path.startsWith("src/index"))!;
    assert.equal(await run(files, entry), expected);
  });
}

Deno.test("compileServerEntry() reports a syntax error", async () => {
  assert.match(await run({ "src/index.ts": "const = 1;" }, "src/index.ts"), /^Expected/);
});

Deno.test("compileServerEntry() lists imports of packages, including JSX", async () => {
  await inTestFolder(async (folder) => {
    const entry = join(folder, "index.tsx");
    await Deno.writeTextFile(
      entry,
      "/** @jsxImportSource made */\nimport fs from 'node:fs'; import a from 'a/b';\n" +
        "export default () => <p>{a(fs)}</p>;\n",
    );
    await Deno.writeTextFile(
      join(folder, "tsconfig.json"),
      '{"compilerOptions":{"jsx":"react-jsx"}}',
    );
    const compiled = await compileServerEntry(entry, { cacheDir: folder });
    assert.ok(compiled.ok);
    assert.deepEqual([...compiled.imports].sort(), ["a/b", "made/jsx-runtime"]);
  });
});
