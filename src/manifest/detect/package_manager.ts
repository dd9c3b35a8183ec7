/** @module Detects a project's package manager and its install command. */
import type { ProjectReader } from "../frameworks/types.ts";
import { readManagerField } from "./package_manager_field.ts";
import { parsePackageFacts } from "./package_facts.ts";
import type { FoundManager, PackageFacts, PackageManager } from "./types.ts";

const LOCK_FILES: readonly (readonly [string, PackageManager])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
  ["deno.lock", "deno"],
];

interface LockFile {
  /** Path relative to the project. */
  readonly path: string;
  readonly manager: PackageManager;
}

async function findLockFiles(
  reader: ProjectReader,
  folders: readonly string[],
): Promise<readonly LockFile[]> {
  const all = folders.flatMap((folder) =>
    LOCK_FILES.map(([name, manager]) => ({ path: `${folder}${name}`, manager }))
  );
  const there = await Promise.all(all.map(({ path }) => reader.exists(path)));
  return all.filter((_, index) => there[index]);
}

/**
 * Reads a field from the project's package.json or, failing that, from the package.json of the
 * workspace root.
 */
async function readFields(
  reader: ProjectReader,
  { facts, root }: { readonly facts: PackageFacts | undefined; readonly root: string },
) {
  const own = readManagerField(facts ?? {});
  if (own.type !== "none" || root === "") return own;
  return readManagerField(parsePackageFacts(await reader.readText(`${root}package.json`)) ?? {});
}

/**
 * Returns the lock files of other package managers that are next to the one in use. Deno's lock
 * file does not count.
 */
function rivals(locks: readonly LockFile[], manager: PackageManager): readonly string[] {
  return locks.filter((lock) => lock.manager !== manager && lock.manager !== "deno")
    .map(({ path }) => path);
}

/**
 * Detects the package manager from the `packageManager` field, then the lock file of the workspace
 * or the project, then Deno's own config. If there is only a package.json, uses npm.
 */
export async function detectPackageManager(
  reader: ProjectReader,
  facts: PackageFacts | undefined,
  root: string,
): Promise<FoundManager | undefined> {
  const locks = await findLockFiles(reader, root === "" ? [""] : [root, ""]);
  const field = await readFields(reader, { facts, root });
  const found = (name: PackageManager, rest: Partial<FoundManager>): FoundManager => ({
    name,
    version: undefined,
    hash: undefined,
    lockFile: locks.find(({ manager }) => manager === name)?.path,
    otherLockFiles: rivals(locks, name),
    reason: "package.json",
    problem: undefined,
    ...rest,
  });
  if (field.type === "named") {
    const { name, version, hash, field: reason } = field.manager;
    return found(name, { version, hash, reason: `${reason} in package.json` });
  }
  const problem = field.type === "invalid" ? field.message : undefined;
  const [first] = locks;
  if (first !== undefined) return found(first.manager, { reason: first.path, problem });
  const denoConfig = await reader.exists("deno.json") || await reader.exists("deno.jsonc");
  if (denoConfig) return found("deno", { reason: "its config", problem });
  return facts === undefined ? undefined : found("npm", { problem });
}

/** Patterns that find a lock file's format version, as each manager writes it. */
const LOCK_VERSIONS: Partial<Record<PackageManager, RegExp>> = {
  pnpm: /^lockfileVersion: *'?"?(\d+(?:\.\d+)?)/m,
  yarn: /^__metadata:\n +version: *(\d+)/m,
};

/**
 * Versions of lock file formats, each with the newest major version of the package manager that
 * reads the format without changing it.
 */
const LOCK_MAJORS: Partial<Record<PackageManager, readonly (readonly [number, string])[]>> = {
  pnpm: [[9, "10"], [6, "8"], [5.4, "7"], [0, "6"]],
  yarn: [[8, "4"], [6, "3"], [4, "2"]],
};

/** Versions for projects that do not specify one. */
const DEFAULT_VERSIONS: Readonly<Record<PackageManager, string>> = {
  npm: "11",
  pnpm: "10",
  yarn: "1",
  bun: "1",
  deno: "2",
};

/** Returns the version range for a project's lock file, if no field sets a version. */
export async function usualVersion(
  reader: ProjectReader,
  { name, lockFile }: Pick<FoundManager, "name" | "lockFile">,
): Promise<string> {
  const text = lockFile === undefined ? "" : await reader.readText(lockFile) ?? "";
  const format = LOCK_VERSIONS[name]?.exec(text)?.[1];
  const major = LOCK_MAJORS[name]?.find(([least]) => Number(format) >= least)?.[1];
  if (major !== undefined) return major;
  const settings = (lockFile ?? "").replace(/[^/]*$/, ".yarnrc.yml");
  if (name === "yarn" && await reader.exists(settings)) return "4";
  return DEFAULT_VERSIONS[name];
}

/**
 * Returns whether a project uses Yarn 2 or later, which has a different flag for installing with a
 * frozen lock file.
 */
export async function isModernYarn(
  reader: ProjectReader,
  found: FoundManager,
): Promise<boolean> {
  const major = /^\D*(\d+)/.exec(found.version ?? "")?.[1];
  if (major !== undefined) return Number(major) >= 2;
  return await usualVersion(reader, found) !== "1";
}

/** Returns the install command, which respects the lock file if there is one. */
export async function installCommand(
  found: FoundManager,
  reader: ProjectReader,
): Promise<string> {
  const { name, lockFile } = found;
  const modern = name === "yarn" && await isModernYarn(reader, found);
  // In CI, modern Yarn refuses to create a lock file.
  if (lockFile === undefined && modern) return "yarn install --no-immutable";
  if (lockFile === undefined || name === "deno") return `${name} install`;
  if (name === "npm") return "npm ci";
  return `${name} install ${modern ? "--immutable" : "--frozen-lockfile"}`;
}
