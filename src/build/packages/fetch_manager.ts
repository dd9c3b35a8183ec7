/** @module Fetches package managers from the npm registry, once per version. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { maxSatisfying, validRange } from "semver";
import * as z from "zod";
import { namesIn } from "../../lib/missing_files.ts";
import { runProgram } from "../../lib/spawn_program.ts";
import { readTextFile } from "../../lib/utf8.ts";
import type { ManagerHash, PackageManager } from "../../manifest/mod.ts";
import { BuildError } from "../build_error.ts";
import { environmentOf } from "../run_command.ts";
import type { BuildHost } from "../types.ts";
import { type Machine, type ManagerPackage, managerPackage } from "./manager_package.ts";

interface WantedManager {
  readonly name: PackageManager;
  /** An exact version, a range or a tag. */
  readonly version: string;
  readonly hash: ManagerHash | undefined;
  /**
   * Absolute path of the folder that packages are installed in. An `.npmrc` in this folder can set
   * a registry.
   */
  readonly directory: string;
}

interface FetchedManager {
  readonly version: string;
  /** Folder with the package manager's programs, to put first in the search path. */
  readonly bin: string;
  /** False if this version had already been fetched. */
  readonly isNew: boolean;
}

/** Number of the hash's hexadecimal digits that a folder name contains. */
const SHORT_HASH = 16;

/** Maximum length of npm's output in an error, in characters. */
const MAX_QUOTED = 1000;

const packed = z.array(z.object({ version: z.string(), filename: z.string() })).min(1);
const installed = z.object({ version: z.string() });

function machine(): Machine {
  const { os, arch } = Deno.build;
  return { os, arch, musl: os === "linux" && isThere(`/lib/ld-musl-${arch}.so.1`) };
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

const failed = ({ name, version }: WantedManager, reason: string) =>
  new BuildError("build_failed", `Cannot download ${name} ${version}: ${reason}`, {
    hint: `Install ${name} on this machine, or fix the version in package.json`,
  });

/** Runs npm without showing its output. If npm fails, throws an error with npm's message. */
async function npm(
  host: BuildHost,
  wanted: WantedManager,
  run: { readonly cwd: string; readonly args: readonly string[] },
): Promise<string> {
  const isWindows = Deno.build.os === "windows";
  const args = [...run.args, "--loglevel=error"];
  host.signal.throwIfAborted();
  const output = runProgram(isWindows ? "cmd" : "npm", {
    args: isWindows ? ["/d", "/s", "/c", "npm", ...args] : args,
    cwd: run.cwd,
    env: environmentOf(host.env),
    clearEnv: true,
    signal: host.signal,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw failed(wanted, "the download needs npm, which is not on PATH");
  });
  const { success, stdout, stderr } = await output;
  host.signal.throwIfAborted();
  if (success) return new TextDecoder().decode(stdout);
  throw failed(wanted, new TextDecoder().decode(stderr).trim().slice(-MAX_QUOTED));
}

async function hexOf(path: string, { algorithm }: ManagerHash): Promise<string> {
  return createHash(algorithm).update(await Deno.readFile(path)).digest("hex");
}

/** Rejects content that does not match the hash in `packageManager`. */
async function verify(wanted: WantedManager, path: string): Promise<void> {
  const { hash } = wanted;
  if (hash === undefined) return;
  const hex = await hexOf(path, hash);
  if (hex === hash.hex) return;
  throw failed(
    wanted,
    `"packageManager" requires the ${hash.algorithm} ${hash.hex}, but the download has ${hex}`,
  );
}

/** Links the programs of a package whose `package.json` has no `bin` field. */
async function linkPrograms(
  folder: string,
  { name, programs = {} }: ManagerPackage,
): Promise<void> {
  const bin = join(folder, "node_modules", ".bin");
  await Deno.mkdir(bin, { recursive: true });
  for (const [program, path] of Object.entries(programs)) {
    const from = join(folder, "node_modules", name, path);
    if (Deno.build.os === "windows") await Deno.copyFile(from, join(bin, `${program}.exe`));
    else {
      await Deno.chmod(from, 0o755);
      await Deno.symlink(join("..", name, path), join(bin, program));
    }
  }
}

/** Fetches a version into a new folder. Returns the version. */
async function fetchInto(
  host: BuildHost,
  wanted: WantedManager,
  { folder, source }: { readonly folder: string; readonly source: ManagerPackage },
): Promise<string> {
  const said = await npm(host, wanted, {
    cwd: wanted.directory,
    args: ["pack", `${source.name}@${wanted.version}`, "--json", "--pack-destination", folder],
  });
  const [pack] = packed.parse(JSON.parse(said));
  const archive = join(folder, pack!.filename);
  if (source.hashed === "archive") await verify(wanted, archive);
  await npm(host, wanted, {
    cwd: folder,
    args: [
      "install",
      "--ignore-scripts",
      "--no-save",
      "--no-package-lock",
      "--offline",
      "--no-audit",
      "--no-fund",
      "--prefix",
      folder,
      archive,
    ],
  });
  if (typeof source.hashed === "object") {
    await verify(wanted, join(folder, "node_modules", source.name, source.hashed.file));
  }
  await linkPrograms(folder, source);
  await Deno.remove(archive);
  return pack!.version;
}

/** Returns the folder of one version. A version with a verified hash has a separate folder. */
function folderName(version: string, hash: ManagerHash | undefined): string {
  return hash === undefined ? version : `${version}+${hash.hex.slice(0, SHORT_HASH)}`;
}

async function isInstalled(folder: string, { name }: ManagerPackage): Promise<boolean> {
  try {
    const text = await readTextFile(join(folder, "node_modules", name, "package.json"));
    return installed.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/** Finds the newest fetched version that fits the request. */
async function findKept(
  folder: string,
  { version, hash }: WantedManager,
  source: ManagerPackage,
): Promise<string | undefined> {
  const names = await namesIn(folder);
  const versions = names.map((name) => name.split("+")[0]!).filter((each) =>
    names.includes(folderName(each, hash))
  );
  const found = validRange(version) === null ? null : maxSatisfying(versions, version);
  if (found === null) return undefined;
  return await isInstalled(join(folder, folderName(found, hash)), source) ? found : undefined;
}

/**
 * Returns the requested version of the package manager, either from the host's tools or from the
 * npm registry, which is accessed with npm and its settings.
 *
 * @throws {BuildError} if the package manager cannot be fetched, or does not match its hash.
 */
export async function fetchManager(
  host: BuildHost,
  wanted: WantedManager,
): Promise<FetchedManager> {
  const source = managerPackage(wanted.name, { version: wanted.version, machine: machine() });
  if (source === undefined) throw failed(wanted, "the registry has no version for this machine");
  if (wanted.hash !== undefined && source.hashed === undefined) {
    throw failed(
      wanted,
      'remove the hash from "packageManager", because each system has a different program',
    );
  }
  const all = join(host.toolsDir, "managers", wanted.name);
  const bin = (version: string) =>
    join(all, folderName(version, wanted.hash), "node_modules", ".bin");
  const kept = await findKept(all, wanted, source);
  if (kept !== undefined) return { version: kept, bin: bin(kept), isNew: false };
  await Deno.mkdir(all, { recursive: true });
  const incoming = await Deno.makeTempDir({ dir: all, prefix: "incoming-" });
  try {
    const version = await fetchInto(host, wanted, { folder: incoming, source });
    const folder = join(all, folderName(version, wanted.hash));
    if (!await isInstalled(folder, source)) {
      await Deno.remove(folder, { recursive: true }).catch(() => {});
      // Another build may have created the folder first.
      await Deno.rename(incoming, folder).catch(async (error) => {
        if (!await isInstalled(folder, source)) throw error;
      });
    }
    return { version, bin: bin(version), isNew: true };
  } finally {
    await Deno.remove(incoming, { recursive: true }).catch(() => {});
  }
}
