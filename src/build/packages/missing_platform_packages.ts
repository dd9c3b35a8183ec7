/**
 * Finds packages with programs for this system that npm has left out. npm drops an optional package
 * that it cannot download, and still exits with code 0. A lock file that was created on another
 * system can lack such a package altogether (npm/cli#4828).
 *
 * @module
 */
import { dirname, join } from "node:path/posix";
import * as z from "zod";
import { createFolderReader } from "../folder_reader.ts";

const list = z.array(z.string()).optional();
const entrySchema = z.object({
  version: z.string().optional(),
  optional: z.boolean().optional(),
  os: list,
  cpu: list,
  libc: list,
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});
type LockEntry = z.infer<typeof entrySchema>;

/** npm's lock file, version 2 or 3: packages by folder. */
const lockSchema = z.object({ packages: z.record(z.string(), entrySchema) });

/** Node's names for this system. */
export interface System {
  readonly os: string;
  readonly cpu: string;
}

const THIS_SYSTEM: System = { os: process.platform, cpu: process.arch };

/** Returns whether a field such as `os` allows a value: `["linux"]`, `["!win32"]`. */
function allows(field: readonly string[] | undefined, value: string): boolean {
  if (field === undefined || field.length === 0) return true;
  if (field.includes(`!${value}`)) return false;
  return field.includes(value) || field.every((each) => each.startsWith("!"));
}

/** Returns whether a package is intended only for this system. */
function isForSystem({ os, cpu, libc }: LockEntry, system: System): boolean {
  return os !== undefined && cpu !== undefined && allows(os, system.os) &&
    allows(cpu, system.cpu) && (system.os !== "linux" || allows(libc, "glibc"));
}

/**
 * Returns whether a package name ends with a system's name, such as `linux-x64` or `linux-x64-gnu`.
 */
function namesSystem(name: string, { os, cpu }: System): boolean {
  return new RegExp(`[-/.]${os}-${cpu}(?:-(?:gnu|glibc|msvc))?$`).test(name);
}

/** Matches names and versions that npm accepts. Only these are displayed. */
const PACKAGE = /^(?:@[\w.~-]+\/)?[\w.~-]+@[\w.+~^*-]+$/;

/** The setting in `.npmrc` that makes npm leave out all optional packages. */
const OMITS = /^\s*(?:omit(?:\[\])?\s*=.*\boptional\b|optional\s*=\s*false)/m;

const nameOf = (folder: string): string => folder.split("node_modules/").at(-1)!;

/**
 * Yields the folders in which a package in `folder` would find the package `name`, nearest first.
 */
function* placesOf(folder: string, name: string): Generator<string> {
  for (let at = folder;; at = dirname(at)) {
    const top = at === "." ? "" : at;
    if (!top.endsWith("node_modules")) yield join(top, "node_modules", name);
    if (top === "" || top === "/") return;
  }
}

type Packages = Readonly<Record<string, LockEntry>>;

/**
 * Returns whether the lock file has the package `name` where a package in `folder` would find it.
 */
function isLocked(
  packages: Packages,
  { folder, name }: { readonly folder: string; readonly name: string },
): boolean {
  return placesOf(folder, name).some((place) => Object.hasOwn(packages, place));
}

/**
 * Compares a folder's `package-lock.json` with its `node_modules`. Returns names with versions,
 * such as `@rollup/rollup-linux-x64-gnu@4.1.0`. The list is empty if there is no lock file from
 * npm.
 *
 * @param directory Absolute path of the folder in which npm was run.
 */
export async function missingPlatformPackages(
  directory: string,
  system = THIS_SYSTEM,
): Promise<readonly string[]> {
  const reader = createFolderReader(directory);
  const text = await reader.readText("package-lock.json");
  if (text === undefined || OMITS.test(await reader.readText(".npmrc") ?? "")) return [];
  const packages = readLock(text);
  const missing = new Set<string>();
  for (const [folder, entry] of Object.entries(packages)) {
    const isForUs = entry.optional === true && isForSystem(entry, system);
    if (!isForUs || await reader.exists(folder)) continue;
    missing.add(`${nameOf(folder)}@${entry.version ?? "*"}`);
  }
  for (const [folder, { optionalDependencies }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (!namesSystem(name, system) || isLocked(packages, { folder, name })) continue;
      if (await reader.exists(folder)) missing.add(`${name}@${version}`);
    }
  }
  return [...missing].filter((name) => PACKAGE.test(name));
}

function readLock(text: string): Packages {
  try {
    return lockSchema.parse(JSON.parse(text)).packages;
  } catch {
    return {};
  }
}
