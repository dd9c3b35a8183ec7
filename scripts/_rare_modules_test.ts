import assert from "node:assert/strict";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { shippedModulePath } from "../src/lib/shipped_module.ts";
import { bundleRareModules } from "./_bundle.ts";
import { RARE_MODULES, RARE_PACKAGES } from "./_rare_modules.ts";
import { ROOT } from "./_source_files.ts";
import { inTestFolder } from "../src/lib/_test_folder.ts";

/** The exports of each module. For packages, only the exports that the program imports. */
const OFFERED: Readonly<Record<string, readonly string[]>> = {
  ...RARE_PACKAGES,
  pglite: ["PGlite", "EmscriptenBuiltinFilesystem"],
  pg_dump: ["pgDump"],
};

/**
 * Matches imports of Node's modules under names that do not work in the compiled program's attached
 * modules.
 */
const BARE_NODE = /(?:\bfrom|\bimport\(?)\s*"(?:fs|path|url|module|crypto|util|os|stream)"/;

Deno.test("bundleRareModules() creates modules that can be imported from any folder", async (t) => {
  await inTestFolder(async (stage) => {
    await bundleRareModules(ROOT, stage, 0);
    assert.deepEqual(
      Object.keys(OFFERED).map(shippedModulePath).toSorted(),
      [...RARE_MODULES].toSorted(),
    );
    for (const [name, offered] of Object.entries(OFFERED)) {
      await t.step(name, async () => {
        const packed = await Deno.readFile(join(stage, shippedModulePath(name)));
        const code = brotliDecompressSync(packed);
        assert.doesNotMatch(code.toString(), BARE_NODE);
        const module = await import(`data:text/javascript;base64,${code.toString("base64")}`);
        assert.deepEqual(Object.keys(module).toSorted(), [...offered].toSorted());
        for (const each of offered) assert.ok(module[each] instanceof Object, each);
      });
    }
  });
});
