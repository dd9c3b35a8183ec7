import assert from "node:assert/strict";
import { join } from "node:path";
import { inTestFolder } from "./_test_folder.ts";
import { syncTree } from "./sync_folder.ts";

const NOBODY = 65534;

const SCRIPT = `import { syncTree } from ${
  JSON.stringify(import.meta.resolve("./sync_folder.ts"))
}; await syncTree(Deno.args[0]);`;

/** Flushes a folder as a user who cannot open read-only files for writing. */
async function syncAsNobody(folder: string, tree: string): Promise<void> {
  for (const path of [folder, tree, join(tree, "pack")]) await Deno.chown(path, NOBODY, NOBODY);
  const script = join(folder, "sync.ts");
  await Deno.writeTextFile(script, SCRIPT);
  const { success, stderr } = await new Deno.Command("setpriv", {
    args: [
      ...[`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"],
      ...[Deno.execPath(), "run", "-A", "--cached-only", "--no-check"],
      ...["--config", join(import.meta.dirname!, "../../deno.json"), script, tree],
    ],
    env: { HOME: folder, DENO_DIR: folder },
    stdout: "null",
    stderr: "piped",
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

Deno.test({
  name: "syncTree() flushes read-only files, such as git's packs",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    inTestFolder(async (folder) => {
      const tree = join(folder, "tree");
      await Deno.mkdir(tree);
      await Deno.writeTextFile(join(tree, "pack"), "content", { mode: 0o444 });
      await (Deno.uid() === 0 ? syncAsNobody(folder, tree) : syncTree(tree));
    }),
});
