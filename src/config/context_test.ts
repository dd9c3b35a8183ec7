import assert from "node:assert/strict";
import fc from "fast-check";
import ignore from "ignore";
import { join } from "node:path";
import {
  type CheckoutContext,
  clearContext,
  CONTEXT_PATH,
  ContextFileError,
  contextPath,
  ignoreContext,
  loadContext,
  saveContext,
  withContextIgnored,
} from "./context.ts";
import { inTestFolder } from "../lib/_test_folder.ts";

const STAGING: CheckoutContext = {
  projectId: "0199e2e8-5f0f-7e11-8a33-0242ac120002",
  environment: { id: "0199e2e8-5f0f-7e11-8a33-0242ac120003", name: "staging" },
};

Deno.test("saveContext() and loadContext() keep the choice, and clearContext() removes it", () =>
  inTestFolder(async (root) => {
    assert.equal(await loadContext(root), undefined);
    assert.equal(await clearContext(root), false);
    await saveContext(root, STAGING);
    assert.deepEqual(await loadContext(root), STAGING);
    const left = [...Deno.readDirSync(join(root, ".svc"))].map(({ name }) => name);
    assert.deepEqual(left, ["context.json"]);
    assert.equal(await clearContext(root), true);
    assert.equal(await loadContext(root), undefined);
  }));

const broken: [name: string, text: string, problem: RegExp][] = [
  ["text that is not JSON", "{", /it is not valid JSON/],
  [
    "JSON of another shape",
    '{"version":1,"projectId":"p","environment":"staging"}',
    /invalid at environment/,
  ],
  ["a future version", JSON.stringify({ version: 2, ...STAGING }), /invalid at version/],
  ["an unknown member", JSON.stringify({ version: 1, x: 1, ...STAGING }), /the top level/],
  [
    "an identifier that is too long",
    JSON.stringify({ version: 1, ...STAGING, projectId: "p".repeat(65) }),
    /invalid at projectId/,
  ],
  ["too many bytes", " ".repeat(20_000), /20000 bytes, more than 16384/],
];

for (const [name, text, problem] of broken) {
  Deno.test(`loadContext() refuses ${name}, and clearContext() removes it`, () =>
    inTestFolder(async (root) => {
      await Deno.mkdir(join(root, ".svc"));
      await Deno.writeTextFile(contextPath(root), text);
      await assert.rejects(loadContext(root), (error) => {
        assert.ok(error instanceof ContextFileError);
        assert.match(error.message, problem);
        return true;
      });
      assert.equal(await clearContext(root), true);
    }));
}

Deno.test("loadContext() refuses a folder with the file's name", () =>
  inTestFolder(async (root) => {
    await Deno.mkdir(contextPath(root), { recursive: true });
    await assert.rejects(loadContext(root), /it is not a file/);
  }));

const ignoreFiles: [name: string, source: string, wanted: string | undefined][] = [
  ["an empty file", "", "/.svc/context.json\n"],
  ["a file without the line", "node_modules/\n", "node_modules/\n/.svc/context.json\n"],
  ["a file without a final newline", "dist", "dist\n/.svc/context.json\n"],
  ["a file with Windows line endings", "dist\r\n", "dist\r\n/.svc/context.json\r\n"],
  ["a file that has the line", "/.svc/context.json\n", undefined],
  ["a file that ignores the folder", ".svc/\n", undefined],
  ["a file that ignores all JSON", "*.json\n", undefined],
  [
    "a file that negates the line",
    ".svc/*\n!.svc/context.json\n",
    ".svc/*\n!.svc/context.json\n/.svc/context.json\n",
  ],
];

for (const [name, source, wanted] of ignoreFiles) {
  Deno.test(`withContextIgnored() ${wanted === undefined ? "keeps" : "completes"} ${name}`, () => {
    assert.equal(withContextIgnored(source), wanted);
  });
}

Deno.test("withContextIgnored() keeps existing lines and does not ignore the manifest", () => {
  fc.assert(fc.property(fc.array(fc.string(), { maxLength: 5 }), (lines) => {
    const source = lines.join("\n");
    const wanted = withContextIgnored(source);
    if (wanted === undefined) return;
    assert.ok(wanted.startsWith(source));
    assert.equal(withContextIgnored(wanted), undefined);
    const manifest = ".svc/manifest.json";
    assert.equal(
      ignore().add(wanted).ignores(manifest),
      ignore().add(source).ignores(manifest),
    );
  }));
});

Deno.test("ignoreContext() makes git ignore the context, and adds its line only once", () =>
  inTestFolder(async (root) => {
    const git = (...args: string[]) =>
      new Deno.Command("git", { args, cwd: root, stdout: "piped" }).output();
    await git("init", "--quiet");
    await Deno.writeTextFile(join(root, ".gitignore"), "dist");
    assert.equal(await ignoreContext(root), true);
    assert.equal(await ignoreContext(root), false);
    assert.equal((await git("check-ignore", CONTEXT_PATH)).code, 0);
    assert.equal((await git("check-ignore", ".svc/manifest.json")).code, 1);
  }));
