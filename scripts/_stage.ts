/**
 * The stage: the staging folder that `deno compile` packs into the program. In addition to the
 * bundle, it contains the files of packages that cannot be bundled.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import * as z from "zod";
import { TEMPLATE_FILE } from "../src/database/mod.ts";
import { DOCUMENTS_FILE, readSources } from "../src/documents/read_library.ts";
import { sha256Hex } from "../src/lib/hash.ts";
import { type BinaryFacts, binaryName, binaryPackage } from "../src/runtime/bundle/load_esbuild.ts";
import { compressTo } from "./_compress.ts";
import { hear } from "./_process.ts";
import { RARE_MODULES } from "./_rare_modules.ts";

interface ShippedPackage {
  readonly name: string;
  /** Files of the package that the program opens; `package.json` is always included. */
  readonly files: readonly string[];
  /** Files that are compressed with brotli and stored with `.br` appended to their names. */
  readonly compressed?: readonly string[];
  readonly reason: string;
}

/** Packages that the program reads from its own `node_modules`. */
export const SHIPPED_PACKAGES: readonly ShippedPackage[] = [
  {
    name: "re2-wasm",
    files: [],
    compressed: ["build/wasm/re2.js", "build/wasm/re2.wasm"],
    reason: "is WebAssembly that is loaded only to validate a manifest",
  },
  {
    name: "@ip-location-db/geo-whois-asn-country-mmdb",
    files: ["geo-whois-asn-country.mmdb"],
    reason: "is a database that is read when the platform starts",
  },
  {
    name: "esbuild",
    files: ["lib/main.js"],
    reason: "starts a native program, and is loaded only to bundle or seal functions",
  },
  {
    name: "wasm-vips",
    files: ["versions.json"],
    compressed: ["lib/vips-es6.js", "lib/vips.wasm", "lib/vips-heif.wasm"],
    reason: "is WebAssembly that only the image conversion process loads",
  },
  {
    name: "@electric-sql/pglite",
    files: [],
    compressed: ["dist/pglite.wasm", "dist/pglite.data"],
    reason: "is WebAssembly that only an embedded database's process loads",
  },
  {
    name: "@electric-sql/pglite-tools",
    files: [],
    reason: "is pg_dump, whose code is a rare module",
  },
  {
    name: "htmx.org",
    files: ["dist/htmx.min.js"],
    reason: "is a script that browsers run; the platform sends it unchanged",
  },
  {
    name: "uplot",
    files: ["dist/uPlot.iife.min.js", "dist/uPlot.min.css"],
    reason: "is a script that browsers run; the platform sends it unchanged",
  },
];

/**
 * File with the licenses and notices of all packages, keyed by path. If these texts were separate
 * files, the compiler would read them as code and pack an error message that contains the stage's
 * path.
 */
export const LICENSES_FILE = "licenses.json";

const LICENSE = /licen[cs]e|notices/i;

/** Path of the country database in the stage. */
const COUNTRIES =
  "node_modules/@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb";

/** Returns the large files in the stage that the program rarely reads. */
export function attachableFiles(platform: Platform = Deno.build): readonly string[] {
  const program = binaryName(platform.os).replaceAll("\\", "/");
  return [
    COUNTRIES,
    TEMPLATE_FILE,
    DOCUMENTS_FILE,
    ...RARE_MODULES,
    ...SHIPPED_PACKAGES.flatMap(({ name, compressed = [] }) =>
      compressed.map((file) => `node_modules/${name}/${file}.br`)
    ),
    `node_modules/${binaryPackage(platform)}/${program}.br`,
  ];
}

/** System and processor that a program is built for, as `Deno.build` names them. */
export interface Platform {
  readonly os: string;
  readonly arch: string;
}

/**
 * Returns the platform for a `deno compile` target, such as `aarch64-apple-darwin`, or this
 * machine's if no target is given.
 */
export function platformOf(target: string | undefined): Platform {
  if (target === undefined) return Deno.build;
  const [arch = ""] = target.split("-");
  const os = ["windows", "darwin", "linux"].find((name) => target.includes(name)) ?? "";
  return { os, arch };
}

/**
 * Returns the folder of the package with esbuild's native program. This machine's package is next
 * to esbuild itself; another platform's is downloaded to `folder`.
 */
async function nativeEsbuild(root: string, platform: Platform, folder: string): Promise<string> {
  const name = binaryPackage(platform);
  if (platform.os !== Deno.build.os || platform.arch !== Deno.build.arch) {
    return await fetchPackage(name, root, folder);
  }
  const esbuild = await Deno.realPath(join(root, "node_modules", "esbuild"));
  return join(dirname(esbuild), name);
}

const lockSchema = z.object({ npm: z.record(z.string(), z.object({ integrity: z.string() })) });

/**
 * Downloads a package in `deno.lock` from npm and unpacks it to `folder`, because Deno installs
 * packages only for this machine.
 *
 * @throws {Error} if the package cannot be fetched, or differs from `deno.lock`.
 */
async function fetchPackage(name: string, root: string, folder: string): Promise<string> {
  const lock = lockSchema.parse(JSON.parse(await Deno.readTextFile(join(root, "deno.lock"))));
  const [id, entry] = Object.entries(lock.npm).find(([id]) => id.startsWith(`${name}@`)) ?? [];
  if (id === undefined || entry === undefined) throw new Error(`deno.lock has no ${name}`);
  await Deno.mkdir(folder, { recursive: true });
  const { code, stdout, stderr } = await hear(["npm", "pack", "--silent", id], { cwd: folder });
  if (code !== 0) throw new Error(`Cannot fetch ${id} from npm: ${stderr}`);
  const archive = join(folder, stdout.trim());
  const digest = createHash("sha512").update(await Deno.readFile(archive)).digest("base64");
  if (`sha512-${digest}` !== entry.integrity) {
    throw new Error(`Cannot use ${id}: its digest is not the one in deno.lock`);
  }
  const unpacked = await hear(["tar", "-xzf", archive, "-C", folder]);
  if (unpacked.code !== 0) throw new Error(`Cannot unpack ${archive}: ${unpacked.stderr}`);
  return join(folder, "package");
}

async function copyFiles(from: string, to: string, files: readonly string[]): Promise<void> {
  for (const file of files) {
    await Deno.mkdir(dirname(join(to, file)), { recursive: true });
    await Deno.copyFile(join(from, file), join(to, file));
  }
}

/** Brotli's highest quality. Decompression takes the same time at every quality. */
const BEST_QUALITY = 11;

/**
 * Returns the quality in `BROTLI_QUALITY`, or the highest quality if the variable is not set.
 *
 * @throws {RangeError} if the value is not a quality
 */
export function parseQuality(text: string | undefined): number {
  if (text === undefined || text === "") return BEST_QUALITY;
  const quality = Number(text);
  if (/^\d+$/.test(text) && quality <= BEST_QUALITY) return quality;
  throw new RangeError(
    `Cannot compress with BROTLI_QUALITY=${text}: set a number from 0 to ${BEST_QUALITY}`,
  );
}

interface StagedFiles {
  readonly from: string;
  readonly to: string;
  readonly files: readonly string[];
}

/** Compresses on as many threads as there are files. */
async function compressFiles({ from, to, files }: StagedFiles, quality: number): Promise<void> {
  await Promise.all(files.map(async (file) => {
    await Deno.mkdir(dirname(join(to, file)), { recursive: true });
    await compressTo(join(to, `${file}.br`), await Deno.readFile(join(from, file)), quality);
  }));
}

/** Writes the documentation to the stage, as one compressed file. */
export async function stageDocuments(stage: string, quality = BEST_QUALITY): Promise<void> {
  await compressTo(join(stage, DOCUMENTS_FILE), JSON.stringify(await readSources()), quality);
}

interface StageOptions {
  /** The platform to build for; this machine's by default. */
  readonly platform?: Platform;
  /** Brotli's quality, from 0 to 11; the highest by default. */
  readonly quality?: number;
}

/**
 * Writes `package.json`, `deno.json` and `node_modules` to the stage. With `nodeModulesDir:
 * "manual"` and a package.json, the compiled program also resolves bare imports in code on disk.
 * Deployed servers need this.
 */
export async function stagePackages(
  root: string,
  stage: string,
  { platform = Deno.build, quality = BEST_QUALITY }: StageOptions = {},
): Promise<void> {
  const esbuild = await nativeEsbuild(root, platform, `${stage}-packages`);
  const { version, unstable } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  const dependencies: Record<string, string> = {};
  const compressing: Promise<void>[] = [];
  const licenses: Record<string, string> = {};
  for (const { name, files, compressed = [] } of SHIPPED_PACKAGES) {
    const from = join(root, "node_modules", name);
    const description = JSON.parse(await Deno.readTextFile(join(from, "package.json")));
    dependencies[name] = description.version;
    for (const file of [...Deno.readDirSync(from)].map((entry) => entry.name).sort()) {
      if (!LICENSE.test(file)) continue;
      licenses[`${name}/${file}`] = await Deno.readTextFile(join(from, file));
    }
    const to = join(stage, "node_modules", name);
    await copyFiles(from, to, ["package.json", ...files]);
    compressing.push(compressFiles({ from, to, files: compressed }, quality));
  }
  const native = binaryPackage(platform);
  const program = binaryName(platform.os);
  const binary = { from: esbuild, to: join(stage, "node_modules", native), files: [program] };
  await copyFiles(binary.from, binary.to, ["package.json"]);
  await Promise.all([...compressing, compressFiles(binary, quality)]);
  const bytes = await Deno.readFile(join(esbuild, program));
  const facts: BinaryFacts = { bytes: bytes.byteLength, sha256: sha256Hex(bytes) };
  await Deno.writeTextFile(join(binary.to, `${program}.json`), JSON.stringify(facts));
  dependencies[native] = dependencies.esbuild!;
  const write = (name: string, value: unknown): Promise<void> =>
    Deno.writeTextFile(join(stage, name), JSON.stringify(value, null, 2));
  await write("package.json", { name: "svc", version, type: "module", dependencies });
  await write("deno.json", { nodeModulesDir: "manual", unstable });
  await write(LICENSES_FILE, licenses);
}

/** The timestamp of all files in a stage. It is fixed because it is packed with each file. */
const STAGE_TIME = new Date("2000-01-01T00:00:00Z");

/** Gives all files the same timestamp, so that the same source produces the same program. */
export async function setStageTimes(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) await setStageTimes(path);
    await Deno.utime(path, STAGE_TIME, STAGE_TIME);
  }
}
