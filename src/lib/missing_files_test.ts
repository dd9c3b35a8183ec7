import assert from "node:assert/strict";
import { join } from "node:path";
import { inTestFolder } from "./_test_folder.ts";
import { ifMissing, namesIn, removeTree } from "./missing_files.ts";

Deno.test("ifMissing() turns a missing file into undefined, and throws other errors", async () => {
  await inTestFolder(async (folder) => {
    assert.equal(await Deno.stat(join(folder, "none")).catch(ifMissing), undefined);
    await assert.rejects(Deno.readTextFile(folder).catch(ifMissing), /directory/);
  });
});

Deno.test("namesIn() sorts the names in a folder, and finds none in a missing one", async () => {
  await inTestFolder(async (folder) => {
    for (const name of ["b", "a", "c"]) await Deno.writeTextFile(join(folder, name), "");
    assert.deepEqual(await namesIn(folder), ["a", "b", "c"]);
    assert.deepEqual(await namesIn(join(folder, "none")), []);
  });
});

Deno.test("removeTree() removes a folder with its content, and ignores a missing one", async () => {
  await inTestFolder(async (folder) => {
    await Deno.mkdir(join(folder, "one/two"), { recursive: true });
    await removeTree(join(folder, "one"));
    await removeTree(join(folder, "one"));
    assert.deepEqual(await namesIn(folder), []);
  });
});
