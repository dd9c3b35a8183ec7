import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { walkOutput } from "./walk_output.ts";
import { inTestFolder } from "../lib/_test_folder.ts";

/** Runs a test with a temporary folder that contains the given files. */
async function withFolder(
  files: Readonly<Record<string, string>>,
  test: (folder: string) => Promise<void>,
): Promise<void> {
  await inTestFolder(async (folder) => {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
      await Deno.writeTextFile(join(folder, path), text);
    }
    await test(folder);
  });
}

const pathsOf = (result: Awaited<ReturnType<typeof walkOutput>>) =>
  result.files.map(({ path }) => path);

const SITE = {
  "index.html": "<p>",
  "b/a.txt": "1234",
  "B.txt": "",
  ".hidden": "",
  ".well-known/security.txt": "",
  ".svc/manifest.json": "{}",
  "node_modules/x/index.js": "",
  "functions/f.ts": "",
  "deep/node_modules/y.js": "",
  "deep/.cache/z": "",
  "svc.toml": "",
  "svc.rules.toml": "",
  "deep/svc.toml": "",
};

Deno.test("walkOutput() lists an output folder in a stable order, with sizes", () =>
  withFolder(SITE, async (folder) => {
    const result = await walkOutput(folder, { projectRoot: dirname(folder) });
    assert.deepEqual(pathsOf(result), [
      ".hidden",
      ".well-known/security.txt",
      "B.txt",
      "b/a.txt",
      "deep/.cache/z",
      "deep/node_modules/y.js",
      "deep/svc.toml",
      "functions/f.ts",
      "index.html",
      "node_modules/x/index.js",
      "svc.rules.toml",
      "svc.toml",
    ]);
    const file = result.files.find(({ path }) => path === "b/a.txt");
    assert.equal(file?.size, 4);
    assert.equal(await Deno.readTextFile(file?.absolutePath ?? ""), "1234");
    assert.deepEqual(result.problems, []);
  }));

Deno.test("walkOutput() omits files of the project's root folder that are not part of a site", () =>
  withFolder(SITE, async (folder) => {
    const result = await walkOutput(join(folder, "."), { projectRoot: folder });
    assert.deepEqual(pathsOf(result), [
      ".well-known/security.txt",
      "B.txt",
      "b/a.txt",
      "deep/svc.toml",
      "index.html",
    ]);
  }));

Deno.test("walkOutput() follows links that stay inside, and reports links that lead outside", () =>
  withFolder({ "out/a/x.txt": "12", "secret.txt": "s", "out/.svc/m": "" }, async (folder) => {
    const out = join(folder, "out");
    await Deno.symlink("a/x.txt", join(out, "file"));
    await Deno.symlink("a", join(out, "folder"));
    await Deno.symlink("../secret.txt", join(out, "leaves"));
    await Deno.symlink(folder, join(out, "leaves-absolute"));
    await Deno.symlink("folder/../../secret.txt", join(out, "leaves-by-link"));
    await Deno.symlink("nowhere", join(out, "broken"));
    await Deno.symlink("..", join(out, "a", "up"));
    await Deno.symlink("self", join(out, "self"));
    await Deno.symlink(".svc", join(out, "private"));
    const result = await walkOutput(out, { projectRoot: folder });
    assert.deepEqual(pathsOf(result), ["a/x.txt", "file", "folder/x.txt"]);
    assert.equal(result.files[1]?.size, 2);
    const problems = new Map(result.problems.map(({ path, message }) => [path, message]));
    assert.deepEqual([...problems.keys()], [
      "a/up",
      "broken",
      "folder/up",
      "leaves",
      "leaves-absolute",
      "leaves-by-link",
      "private",
      "self",
    ]);
    assert.equal(
      problems.get("leaves"),
      'The symbolic link to "../secret.txt" leaves the output directory: copy its target there',
    );
    assert.match(problems.get("a/up") ?? "", /is circular/);
    assert.match(problems.get("broken") ?? "", /"nowhere", does not exist/);
    assert.match(problems.get("self") ?? "", /circular/);
  }));

Deno.test("walkOutput() stops at links that multiply folders endlessly", () =>
  withFolder({ "0/x": "" }, async (folder) => {
    for (let level = 1; level <= 18; level++) {
      await Deno.mkdir(join(folder, String(level)));
      await Deno.symlink(`../${level - 1}`, join(folder, String(level), "a"));
      await Deno.symlink(`../${level - 1}`, join(folder, String(level), "b"));
    }
    const result = await walkOutput(folder, { projectRoot: dirname(folder) });
    assert.match(result.problems.at(-1)?.message ?? "", /Expected at most/);
  }));

Deno.test("walkOutput() reports names that cannot be URL paths", () =>
  withFolder({ "ok é.txt": "", "new\nline": "", "back\\slash": "" }, async (folder) => {
    const result = await walkOutput(folder, { projectRoot: dirname(folder) });
    assert.deepEqual(pathsOf(result), ["ok é.txt"]);
    assert.deepEqual(result.problems.map(({ path }) => path), ["back\\slash", "new\nline"]);
  }));

Deno.test("walkOutput() fails if there is no folder", async () => {
  await assert.rejects(walkOutput("/nowhere/at/all", { projectRoot: "/" }), Deno.errors.NotFound);
});
