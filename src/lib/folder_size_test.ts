import assert from "node:assert/strict";
import { folderSize, watchSize } from "./folder_size.ts";

const LINUX = Deno.build.os === "linux";

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-size-" });
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test({
  name: "folderSize() counts what a folder takes on disk",
  ignore: !LINUX,
  fn: () =>
    withFolder(async (folder) => {
      await Deno.writeFile(`${folder}/a`, new Uint8Array(1_000_000).fill(1));
      const bytes = await folderSize(folder);
      assert.ok(bytes !== undefined && bytes >= 1_000_000 && bytes < 1_100_000, String(bytes));
    }),
});

Deno.test("watchSize() can be stopped at once", async () => {
  await withFolder(async (folder) => {
    const watch = watchSize([folder], { maxBytes: 1 });
    await watch.stop();
    assert.equal(watch.exceeded.aborted, false);
  });
});
