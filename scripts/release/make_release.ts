/**
 * Creates everything in a release from compiled programs.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { sha256Hex } from "../../src/lib/hash.ts";
import {
  MANIFEST_FILE,
  MANIFEST_SCHEMA,
  publicKeyOf,
  type Release,
  releaseSchema,
  sign,
  SIGNATURE_SUFFIX,
} from "../../src/release/mod.ts";
import { ROOT } from "../_source_files.ts";
import { pack } from "./archive.ts";
import type { ReleasedProgram, ReleaseOptions } from "./release_options.ts";
import { makeSbom } from "./sbom.ts";
import { programName, type Target, TARGETS } from "./targets.ts";
import { writePackages } from "./write_packages.ts";

/** Path of the manual page in the project. */
const MANUAL = "docs/svc.1";

/** Paths in the project of the files that each archive contains in addition to the program. */
const BESIDE = ["LICENSE", "README.md", MANUAL] as const;

/** @throws {Error} if a program does not trust the key. */
function assertTrusts(bytes: Uint8Array, name: string, { trusted }: ReleaseOptions): void {
  const program = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (trusted.every((key) => program.includes(key))) return;
  throw new Error(
    `${name} does not contain the keys of src/release/trusted_keys.ts: compile it again`,
  );
}

async function addProgram(target: Target, options: ReleaseOptions): Promise<ReleasedProgram> {
  const { version, programs, out } = options;
  const name = programName(target);
  const bytes = await Deno.readFile(join(programs, name));
  assertTrusts(bytes, name, options);
  const packed = gzipSync(bytes, { level: 9 });
  const stem = `svc-${version}-${target.target}`;
  await Deno.writeFile(join(out, `${stem}.gz`), packed);
  const folder = await Deno.makeTempDir({ prefix: "svc-release-" });
  try {
    const inside = target.isWindows ? "svc.exe" : "svc";
    await Deno.writeFile(join(folder, inside), bytes, { mode: 0o755 });
    for (const file of BESIDE) await Deno.copyFile(join(ROOT, file), join(folder, basename(file)));
    const file = `${stem}${target.isWindows ? ".zip" : ".tar.gz"}`;
    await pack(folder, join(out, file), [inside, ...BESIDE.map((file) => basename(file))]);
    const sha256 = sha256Hex(await Deno.readFile(join(out, file)));
    const content = { size: packed.byteLength, sha256: sha256Hex(packed) };
    const program = { size: bytes.byteLength, sha256: sha256Hex(bytes) };
    const manifest = { target: target.target, file: `${stem}.gz`, ...content, program };
    return { target, manifest, archive: { file, sha256 } };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function writeSigned(path: string, text: string, keyPem: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  await Deno.writeFile(path, bytes);
  await Deno.writeFile(path + SIGNATURE_SUFFIX, await sign(bytes, keyPem));
}

/** Returns the digests of all files in the folder, in the format that `sha256sum --check` reads. */
async function digests(folder: string): Promise<string> {
  const names = [...Deno.readDirSync(folder)].filter((entry) => entry.isFile)
    .map((entry) => entry.name).sort();
  const lines: string[] = [];
  for (const name of names) {
    lines.push(`${sha256Hex(await Deno.readFile(join(folder, name)))}  ${name}\n`);
  }
  return lines.join("");
}

/**
 * Writes programs, archives, packages, the bill of materials and installers, and then the manifest
 * and the digests of all files, both signed.
 *
 * @throws {Error} if the programs do not trust the key.
 */
export async function makeRelease(options: ReleaseOptions): Promise<Release> {
  const { version, dataFormat, out, keyPem, trusted } = options;
  const publicKey = await publicKeyOf(keyPem);
  if (!trusted.includes(publicKey)) {
    throw new Error(`Sign with a key from src/release/trusted_keys.ts, not with ${publicKey}`);
  }
  await Deno.mkdir(out, { recursive: true });
  const programs: ReleasedProgram[] = [];
  for (const target of TARGETS) programs.push(await addProgram(target, options));
  await Deno.copyFile(join(ROOT, MANUAL), join(out, basename(MANUAL)));
  await writePackages(programs, { ...options, publicKey });
  const lock = await Deno.readTextFile(join(ROOT, "deno.lock"));
  await Deno.writeTextFile(join(out, `svc-${version}.cdx.json`), makeSbom(lock, version));
  const release = releaseSchema.parse({
    schemaVersion: MANIFEST_SCHEMA,
    version,
    dataFormat,
    programs: programs.map(({ manifest }) => manifest),
  });
  await writeSigned(join(out, MANIFEST_FILE), `${JSON.stringify(release, null, 2)}\n`, keyPem);
  await writeSigned(join(out, "SHA256SUMS"), await digests(out), keyPem);
  return release;
}
