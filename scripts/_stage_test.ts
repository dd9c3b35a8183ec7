import assert from "node:assert/strict";
import { join } from "node:path";
import config from "../deno.json" with { type: "json" };
import { listFiles, ROOT } from "./_source_files.ts";
import { ABSENT_PACKAGES, SHIPPED_PACKAGES, stagePackages } from "./_stage.ts";

Deno.test("stagePackages() ships exactly the named files, with versions and licences", async () => {
  const stage = await Deno.makeTempDir();
  try {
    await stagePackages(ROOT, stage);
    const { dependencies } = JSON.parse(await Deno.readTextFile(join(stage, "package.json")));
    const imports = config.imports as Readonly<Record<string, string>>;
    for (const { name, files } of SHIPPED_PACKAGES) {
      assert.equal(`npm:${name}@${dependencies[name]}`, imports[name]);
      const folder = join(stage, "node_modules", name);
      const staged = await Array.fromAsync(files, (file) => Deno.stat(join(folder, file)));
      assert.ok(staged.every(({ size }) => size > 0));
      assert.ok([...Deno.readDirSync(folder)].some((entry) => /licen[cs]e/i.test(entry.name)));
    }
    assert.deepEqual(listFiles(stage), ["deno.json", "package.json"]);
  } finally {
    await Deno.remove(stage, { recursive: true });
  }
});

Deno.test("SHIPPED_PACKAGES and ABSENT_PACKAGES name packages of deno.json", () => {
  for (const name of [...SHIPPED_PACKAGES.map((shipped) => shipped.name), ...ABSENT_PACKAGES]) {
    assert.ok(name in config.imports, name);
  }
});
