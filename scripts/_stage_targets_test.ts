/**
 * The stage of every platform that releases are built for. `STAGE_TESTS=all` installs the packages
 * of the other platforms; otherwise, only the stage for this machine is tested.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { sha256Hex } from "../src/lib/hash.ts";
import { binaryName, binaryPackage } from "../src/runtime/bundle/load_esbuild.ts";
import { ROOT } from "./_source_files.ts";
import { LICENSES_FILE, platformOf, SHIPPED_PACKAGES, stagePackages } from "./_stage.ts";
import { TARGETS } from "./release/targets.ts";
import { inTestFolder } from "../src/lib/_test_folder.ts";

/**
 * Checks that a program's file header (ELF, Mach-O or PE) names the right processor, keyed by
 * target.
 */
const HEADS: Readonly<Record<string, (head: DataView) => boolean>> = {
  "x86_64-unknown-linux-gnu": (head) => isElf(head, 62),
  "aarch64-unknown-linux-gnu": (head) => isElf(head, 183),
  "x86_64-apple-darwin": (head) => isMachO(head, 0x01000007),
  "aarch64-apple-darwin": (head) => isMachO(head, 0x0100000c),
  "x86_64-pc-windows-msvc": (head) => {
    const at = head.getUint32(0x3c, true);
    return head.getUint32(at) === 0x50450000 && head.getUint16(at + 4, true) === 0x8664;
  },
};

const isElf = (head: DataView, machine: number) =>
  head.getUint32(0) === 0x7f454c46 && head.getUint16(18, true) === machine;
const isMachO = (head: DataView, cpu: number) =>
  head.getUint32(0, true) === 0xfeedfacf && head.getUint32(4, true) === cpu;

/** The content of every stage, except for esbuild's binary. */
const COMMON = [
  "deno.json",
  LICENSES_FILE,
  "package.json",
  ...SHIPPED_PACKAGES.flatMap(({ name, files, compressed = [] }) =>
    ["package.json", ...files, ...compressed.map((file) => `${file}.br`)]
      .map((file) => `node_modules/${name}/${file}`)
  ),
];

async function filesOf(stage: string): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  const walk = async (folder: string): Promise<void> => {
    for await (const entry of Deno.readDir(join(stage, folder))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory) await walk(path);
      else digests.set(path, sha256Hex(await Deno.readFile(join(stage, path))));
    }
  };
  await walk("");
  return digests;
}

Deno.test("stagePackages() creates the same bytes twice, for each target with its own esbuild", async (t) => {
  await inTestFolder(async (root) => {
    for (const { target } of TARGETS) {
      const platform = platformOf(target);
      const name = binaryPackage(platform);
      const isOwn = platform.os === Deno.build.os && platform.arch === Deno.build.arch;
      const ignore = !isOwn && Deno.env.get("STAGE_TESTS") !== "all";
      await t.step({
        name: target,
        ignore,
        fn: async () => {
          const stages = [join(root, `${target}-1`), join(root, `${target}-2`)] as const;
          for (const stage of stages) {
            await Deno.mkdir(stage);
            await stagePackages(ROOT, stage, { platform, quality: 0 });
          }
          const [first, second] = await Promise.all(stages.map(filesOf));
          assert.deepEqual(first, second);
          const program = `node_modules/${name}/${binaryName(platform.os)}`;
          const own = [`node_modules/${name}/package.json`, `${program}.br`, `${program}.json`];
          assert.deepEqual([...first!.keys()].sort(), [...new Set([...COMMON, ...own])].sort());
          const packed = await Deno.readFile(join(stages[0], `${program}.br`));
          const bytes = new Uint8Array(brotliDecompressSync(packed));
          assert.ok(
            HEADS[target]!(new DataView(bytes.buffer)),
            `${program} is for another platform`,
          );
          const facts = JSON.parse(await Deno.readTextFile(join(stages[0], `${program}.json`)));
          assert.deepEqual(facts, { bytes: bytes.byteLength, sha256: sha256Hex(bytes) });
        },
      });
    }
  });
});
