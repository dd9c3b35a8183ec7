import assert from "node:assert/strict";
import { folderSize, watchSize } from "./folder_size.ts";
import { inTestFolder } from "./_test_folder.ts";

const LINUX = Deno.build.os === "linux";

Deno.test({
  name: "folderSize() counts a folder's size on disk",
  ignore: !LINUX,
  fn: () =>
    inTestFolder(async (folder) => {
      await Deno.writeFile(`${folder}/a`, new Uint8Array(1_000_000).fill(1));
      const bytes = await folderSize(folder);
      assert.ok(bytes !== undefined && bytes >= 1_000_000 && bytes < 1_100_000, String(bytes));
    }),
});

Deno.test("watchSize() can be stopped immediately", async () => {
  await inTestFolder(async (folder) => {
    const watch = watchSize([folder], { maxBytes: 1 });
    await watch.stop();
    assert.equal(watch.exceeded.aborted, false);
  });
});
