import assert from "node:assert/strict";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import config from "../deno.json" with { type: "json" };
import { DOCUMENTS_FILE, readSources } from "../src/documents/read_library.ts";
import { unpackBinary } from "../src/runtime/bundle/load_esbuild.ts";
import { listFiles, ROOT } from "./_source_files.ts";
import {
  LICENSES_FILE,
  parseQuality,
  platformOf,
  SHIPPED_PACKAGES,
  stageDocuments,
  stagePackages,
} from "./_stage.ts";
import { inTestFolder } from "../src/lib/_test_folder.ts";

Deno.test("stagePackages() ships exactly the named files, with versions and licenses", async () => {
  const [stage, cache] = [await Deno.makeTempDir(), await Deno.makeTempDir()];
  try {
    await stagePackages(ROOT, stage, { quality: 0 });
    const { dependencies } = JSON.parse(await Deno.readTextFile(join(stage, "package.json")));
    const licenses = JSON.parse(await Deno.readTextFile(join(stage, LICENSES_FILE)));
    const imports = config.imports as Readonly<Record<string, string>>;
    for (const { name, files } of SHIPPED_PACKAGES) {
      assert.equal(`npm:${name}@${dependencies[name]}`, imports[name]);
      const folder = join(stage, "node_modules", name);
      const staged = await Array.fromAsync(files, (file) => Deno.stat(join(folder, file)));
      assert.ok(staged.every(({ size }) => size > 0));
      const own = Object.entries(licenses).filter(([path]) => path.startsWith(`${name}/`));
      assert.ok(own.length > 0 && own.every(([, text]) => (text as string).length > 100), name);
    }
    const native = Object.keys(dependencies).find((name) => name.startsWith("@esbuild/"))!;
    assert.equal(dependencies[native], dependencies.esbuild);
    const path = await unpackBinary(join(stage, "node_modules", native, "bin", "esbuild"), cache);
    const { stdout } = await new Deno.Command(path, { args: ["--version"] }).output();
    assert.equal(new TextDecoder().decode(stdout).trim(), dependencies.esbuild);
    assert.deepEqual(listFiles(stage), ["deno.json", LICENSES_FILE, "package.json"]);
  } finally {
    for (const each of [stage, cache]) await Deno.remove(each, { recursive: true });
  }
});

Deno.test("stageDocuments() packs every document unchanged", async () => {
  await inTestFolder(async (stage) => {
    await stageDocuments(stage, 0);
    const packed = brotliDecompressSync(await Deno.readFile(join(stage, DOCUMENTS_FILE)));
    assert.deepEqual(JSON.parse(packed.toString()), await readSources());
  });
});

Deno.test("platformOf() parses deno compile targets", () => {
  assert.deepEqual(platformOf("x86_64-pc-windows-msvc"), { os: "windows", arch: "x86_64" });
  assert.deepEqual(platformOf("aarch64-apple-darwin"), { os: "darwin", arch: "aarch64" });
  assert.deepEqual(platformOf("x86_64-unknown-linux-gnu"), { os: "linux", arch: "x86_64" });
  assert.equal(platformOf(undefined), Deno.build);
});

Deno.test("parseQuality() accepts brotli's qualities, and uses the highest by default", () => {
  assert.deepEqual([undefined, "", "0", "4", "11"].map(parseQuality), [11, 11, 0, 4, 11]);
  for (const text of ["12", "-1", "fast", "1.5"]) {
    assert.throws(() => parseQuality(text), /from 0 to 11/);
  }
});

Deno.test("SHIPPED_PACKAGES lists only packages in deno.json", () => {
  for (const { name } of SHIPPED_PACKAGES) assert.ok(name in config.imports, name);
});
