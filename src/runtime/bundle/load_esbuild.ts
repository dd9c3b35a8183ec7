/**
 * @module Loads esbuild and its native binary. From source, esbuild finds the binary in
 * `node_modules` itself. A compiled program contains both packages, but cannot execute files from
 * there, so the compressed binary is unpacked once to a cache folder.
 */
import type * as esbuild from "esbuild";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import * as z from "zod";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { readShippedFile } from "../../lib/shipped_file.ts";
import { readTextFile } from "../../lib/utf8.ts";

export type Esbuild = typeof esbuild;

export interface EsbuildOptions {
  /** Folder for the binary, which a compiled program requires. */
  readonly cacheDir: string;
}

/** Returns the package with esbuild's binary for a platform, in esbuild's naming. */
export function binaryPackage(build: { readonly os: string; readonly arch: string }): string {
  const os = { windows: "win32" }[build.os] ?? build.os;
  const arch = { x86_64: "x64", aarch64: "arm64" }[build.arch] ?? build.arch;
  return `@esbuild/${os}-${arch}`;
}

/** Returns the binary's path in the package of its platform. */
export function binaryName(os: string): string {
  return os === "windows" ? "esbuild.exe" : join("bin", "esbuild");
}

/** Facts about the binary, known before it is unpacked. */
const factsSchema = z.object({ bytes: z.int().positive(), sha256: z.string().length(64) });
export type BinaryFacts = z.infer<typeof factsSchema>;

/**
 * Unpacks the staged binary (described in `<staged>.json`, read from `<staged>.br` by default) into
 * the cache, under a name that contains its digest, and returns its path. Reuses a binary that is
 * already in the cache.
 *
 * @throws {Error} if the unpacked binary differs from the staged one.
 */
export async function unpackBinary(
  staged: string,
  cacheDir: string,
  read: () => Uint8Array = () => Deno.readFileSync(`${staged}.br`),
): Promise<string> {
  const facts = factsSchema.parse(JSON.parse(await readTextFile(`${staged}.json`)));
  const path = join(cacheDir, `esbuild-${facts.sha256.slice(0, 16)}`);
  const there = await Deno.stat(path).catch(() => undefined);
  if (there?.size === facts.bytes) return path;
  const bytes = await promisify(brotliDecompress)(read());
  const found = sha256Hex(bytes);
  if (found !== facts.sha256) {
    throw new Error(`esbuild inside this program is damaged: its digest is ${found}`);
  }
  await writeFileAtomically(path, bytes, { mode: 0o755 });
  return path;
}

let loading: Promise<Esbuild> | undefined;

/**
 * Loads esbuild. One call per process is enough.
 *
 * @throws Error if a compiled program was staged without the binary
 */
export function loadEsbuild(options: EsbuildOptions): Promise<Esbuild> {
  loading ??= load(options);
  return loading;
}

async function load(options: EsbuildOptions): Promise<Esbuild> {
  if (Deno.build.standalone) {
    const inside = join("node_modules", binaryPackage(Deno.build), binaryName(Deno.build.os));
    const staged = fileURLToPath(new URL(inside, Deno.mainModule));
    const read = () => readShippedFile(`${inside.replaceAll("\\", "/")}.br`);
    // esbuild reads the variable when it is loaded. There is no equivalent option.
    Deno.env.set("ESBUILD_BINARY_PATH", await unpackBinary(staged, options.cacheDir, read));
  }
  return await import("esbuild");
}
