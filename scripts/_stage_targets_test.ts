/**
 * The stage of every platform that releases are made for. `STAGE_TESTS=all` fetches esbuild's
 * packages of the other platforms from npm; else only those that are installed are staged.
 */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { sha256Hex } from "../src/lib/hash.ts";
import { binaryName, binaryPackage } from "../src/runtime/bundle/load_esbuild.ts";
import { hear } from "./_process.ts";
import { ROOT } from "./_source_files.ts";
import { LICENCES_FILE, platformOf, SHIPPED_PACKAGES, stagePackages } from "./_stage.ts";
import { TARGETS } from "./release/targets.ts";

/** The heads of programs: ELF, Mach-O and PE, each with the processor. */
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

/** What every stage holds but for esbuild's program. */
const COMMON = [
  "deno.json",
  LICENCES_FILE,
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

/** A root whose esbuild stands where packages of other platforms can be put beside it. */
async function makeRoot(root: string): Promise<void> {
  await Deno.copyFile(join(ROOT, "deno.json"), join(root, "deno.json"));
  for (const { name } of SHIPPED_PACKAGES) {
    const to = join(root, "node_modules", name);
    await Deno.mkdir(dirname(to), { recursive: true });
    const from = await Deno.realPath(join(ROOT, "node_modules", name));
    await (name === "esbuild" ? cp(from, to, { recursive: true }) : Deno.symlink(from, to));
  }
}

/** The package of a platform: npm's, or the installed one; false where there is none. */
async function provide(root: string, name: string): Promise<boolean> {
  const to = join(root, "node_modules", name);
  const esbuild = await Deno.realPath(join(ROOT, "node_modules", "esbuild"));
  const installed = join(dirname(esbuild), name);
  if (await Deno.stat(installed).catch(() => undefined) !== undefined) {
    await cp(await Deno.realPath(installed), to, { recursive: true });
    return true;
  }
  if (Deno.env.get("STAGE_TESTS") !== "all") return false;
  const { version } = JSON.parse(await Deno.readTextFile(join(esbuild, "package.json")));
  const packed = await hear(["npm", "pack", "--silent", `${name}@${version}`], { cwd: root });
  assert.equal(packed.code, 0, packed.stderr);
  await Deno.mkdir(to, { recursive: true });
  const archive = join(root, packed.stdout.trim());
  const args = ["-xzf", archive, "-C", to, "--strip-components=1"];
  assert.equal((await hear(["tar", ...args])).code, 0);
  return true;
}

Deno.test("stagePackages() makes the same bytes twice, for each target with its own esbuild", async (t) => {
  const root = await Deno.makeTempDir({ prefix: "svc-stage-" });
  try {
    await makeRoot(root);
    for (const { target } of TARGETS) {
      const platform = platformOf(target);
      const name = binaryPackage(platform);
      const ignore = !await provide(root, name);
      await t.step({
        name: target,
        ignore,
        fn: async () => {
          const stages = [join(root, `${target}-1`), join(root, `${target}-2`)] as const;
          for (const stage of stages) {
            await Deno.mkdir(stage);
            await stagePackages(root, stage, { platform, quality: 0 });
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
            `${program} is of another platform`,
          );
          const facts = JSON.parse(await Deno.readTextFile(join(stages[0], `${program}.json`)));
          assert.deepEqual(facts, { bytes: bytes.byteLength, sha256: sha256Hex(bytes) });
        },
      });
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
