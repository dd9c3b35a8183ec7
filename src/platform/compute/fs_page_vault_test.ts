import assert from "node:assert/strict";
import { join } from "node:path";
import { PageFolders } from "./fs_page_vault.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const DEPLOYMENT = "01890000-0000-7000-8000-000000000001";
const name = (digit: string, kind = "p") => `${digit.repeat(64)}.${kind}`;
const bytes = (text: string) => new TextEncoder().encode(text);

async function withFolders(run: (folders: PageFolders, root: string) => Promise<void>) {
  await inTestFolder(async (root) => {
    await run(new PageFolders(root), root);
  });
}

Deno.test("PageFolders stores pages by deployment, and creates no folder before the first page", () =>
  withFolders(async (folders) => {
    const vault = folders.of(DEPLOYMENT);
    assert.deepEqual(await vault.list(), []);
    assert.equal(await vault.read(name("a")), undefined);
    assert.deepEqual(await folders.list(), []);
    await vault.write(name("a"), bytes("one"));
    await vault.write(name("a"), bytes("second"));
    assert.deepEqual(await vault.read(name("a")), bytes("second"));
    assert.deepEqual(
      (await folders.of(DEPLOYMENT).list()).map((page) => [page.name, page.bytes]),
      [[name("a"), 6]],
    );
    assert.deepEqual(await folders.list(), [DEPLOYMENT]);
    await vault.remove(name("a"));
    await vault.remove(name("a"));
    await folders.remove(DEPLOYMENT);
    assert.deepEqual(await folders.list(), []);
    await vault.write(name("b"), bytes("x")).catch(() => vault.write(name("b"), bytes("x")));
    assert.deepEqual(await vault.read(name("b")), bytes("x"));
  }));

Deno.test("a page that a crash left half-written is removed", () =>
  withFolders(async (folders, root) => {
    await folders.of(DEPLOYMENT).write(name("a", "q"), bytes("page"));
    Deno.writeTextFileSync(join(root, DEPLOYMENT, `${name("b")}.1.part`), "ha");
    const pages = await folders.of(DEPLOYMENT).list();
    assert.deepEqual(pages.map((page) => page.name), [name("a", "q")]);
    assert.equal(Array.from(Deno.readDirSync(join(root, DEPLOYMENT))).length, 1);
  }));
