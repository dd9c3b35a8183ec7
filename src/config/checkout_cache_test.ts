import assert from "node:assert/strict";
import { join } from "node:path";
import * as z from "zod";
import { CACHE_PATH, readCheckoutCache, writeCheckoutCache } from "./checkout_cache.ts";
import { inTestFolder } from "../lib/_test_folder.ts";

const schema = z.strictObject({ version: z.literal(1), word: z.string() });
const VALUE = { version: 1 as const, word: "häuser" };

async function withRoot(run: (root: string, file: string) => Promise<void>): Promise<void> {
  await inTestFolder(async (root) => {
    await run(root, join(root, CACHE_PATH, "words.json"));
  });
}

Deno.test("readCheckoutCache() reads what writeCheckoutCache() wrote, and git ignores it", () =>
  withRoot(async (root, file) => {
    assert.equal(await readCheckoutCache(root, "words.json", schema), undefined);
    await writeCheckoutCache(root, "words.json", VALUE);
    await writeCheckoutCache(root, "words.json", { ...VALUE, word: "later" });
    assert.deepEqual(await readCheckoutCache(root, "words.json", schema), {
      version: 1,
      word: "later",
    });
    const git = (...args: string[]) =>
      new Deno.Command("git", { args: ["-C", root, ...args], stdout: "piped" }).output();
    await git("init", "--quiet");
    const status = await git("status", "--porcelain", "--untracked-files=all");
    assert.equal(new TextDecoder().decode(status.stdout), "");
    const names = Array.from(Deno.readDirSync(join(root, CACHE_PATH)), ({ name }) => name);
    assert.deepEqual(names.toSorted(), [".gitignore", "words.json"]);
    assert.ok((await Deno.stat(file)).isFile);
  }));

Deno.test("readCheckoutCache() ignores files that are damaged, truncated or from another version", () =>
  withRoot(async (root, file) => {
    await writeCheckoutCache(root, "words.json", VALUE);
    const whole = await Deno.readFile(file);
    const damaged = whole.with(whole.length - 3, whole[whole.length - 3]! ^ 1);
    for (const bytes of [damaged, whole.slice(0, 80), whole.slice(0, 10), new Uint8Array([0xff])]) {
      await Deno.writeFile(file, bytes);
      assert.equal(await readCheckoutCache(root, "words.json", schema), undefined);
    }
    await writeCheckoutCache(root, "words.json", { ...VALUE, version: 2 });
    assert.equal(await readCheckoutCache(root, "words.json", schema), undefined);
  }));

Deno.test("writeCheckoutCache() follows no links out of the checkout, and fails silently", () =>
  withRoot(async (root) => {
    const [project, elsewhere] = [join(root, "project"), join(root, "elsewhere")];
    await Deno.mkdir(join(project, ".svc"), { recursive: true });
    await Deno.mkdir(elsewhere);
    await Deno.symlink(elsewhere, join(project, CACHE_PATH));
    await writeCheckoutCache(project, "words.json", VALUE);
    assert.deepEqual([...Deno.readDirSync(elsewhere)], []);

    const file = join(root, "other", ".svc");
    await Deno.mkdir(join(root, "other"));
    await Deno.writeTextFile(file, "a file");
    await writeCheckoutCache(join(root, "other"), "words.json", VALUE);
    assert.equal(await readCheckoutCache(join(root, "other"), "words.json", schema), undefined);
  }));
