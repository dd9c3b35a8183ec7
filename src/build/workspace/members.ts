/** @module The packages of a workspace, and their dependencies on each other. */
import { join } from "node:path";
import { isMember, memberBases, parsePackageFacts, workspacePatterns } from "../../manifest/mod.ts";
import { createFolderReader } from "../folder_reader.ts";

/** A package in a workspace. */
export interface Member {
  /** The package's folder, relative to the root, with `/` as the separator. */
  readonly path: string;
  /** Name of the package, or `undefined` if its package.json has none. */
  readonly name: string | undefined;
  /** Names of all the package's dependencies. */
  readonly dependencies: ReadonlySet<string>;
  readonly scripts: ReadonlyMap<string, string>;
}

/** Maximum number of folders to search. */
const MAX_FOLDERS = 5000;
/** Maximum number of folder levels that `**` searches. */
const MAX_DEPTH = 5;

const SKIPPED = new Set(["node_modules", "dist", "build", "out", "coverage"]);

async function foldersOf(directory: string): Promise<string[]> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(directory));
    return entries
      .filter(({ name, isDirectory }) => isDirectory && !name.startsWith("."))
      .map(({ name }) => name).sort();
  } catch {
    return [];
  }
}

/** Yields the folders that can be members, without duplicates. Does not follow links. */
async function* candidates(root: string, patterns: readonly string[]): AsyncGenerator<string> {
  const waiting = memberBases(patterns).map((path) => ({ path, depth: 0 }));
  const seen = new Set<string>();
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { path, depth } = next;
    if (seen.has(path) || path.split("/").includes("..")) continue;
    if (seen.size === MAX_FOLDERS) return;
    seen.add(path);
    if (path !== ".") yield path;
    if (depth === MAX_DEPTH) continue;
    for (const name of await foldersOf(join(root, path))) {
      if (SKIPPED.has(name) && !isMember(path === "." ? name : `${path}/${name}`, patterns)) {
        continue;
      }
      waiting.push({ path: path === "." ? name : `${path}/${name}`, depth: depth + 1 });
    }
  }
}

/**
 * Returns the packages in a root folder's workspace. Returns `undefined` if the folder is not a
 * workspace.
 */
export async function readMembers(root: string): Promise<readonly Member[] | undefined> {
  const reader = createFolderReader(root);
  const [pnpmWorkspace, packageJson] = await Promise.all([
    reader.readText("pnpm-workspace.yaml"),
    reader.readText("package.json"),
  ]);
  const patterns = await workspacePatterns({ pnpmWorkspace, packageJson });
  if (patterns === undefined) return undefined;
  const members: Member[] = [];
  for await (const path of candidates(root, patterns)) {
    if (!isMember(path, patterns)) continue;
    const facts = parsePackageFacts(await reader.readText(`${path}/package.json`));
    if (facts === undefined) continue;
    const { name, dependencies, scripts } = facts;
    members.push({ path, name, dependencies: new Set(dependencies.keys()), scripts });
  }
  return members.sort((left, right) => left.path < right.path ? -1 : 1);
}

/**
 * Returns a package's direct and indirect dependencies within the workspace. Each dependency comes
 * after its own dependencies. Packages in a cycle are ordered by name.
 */
export function neededBy(members: readonly Member[], path: string): readonly Member[] {
  const byName = new Map(
    members.flatMap((each) => each.name === undefined ? [] : [[each.name, each]]),
  );
  const start = members.find((each) => each.path === path);
  const ordered: Member[] = [];
  const seen = new Set<Member | undefined>([start]);
  const visit = (member: Member) => {
    for (const name of [...member.dependencies].sort()) {
      const needed = byName.get(name);
      if (needed === undefined || seen.has(needed)) continue;
      seen.add(needed);
      visit(needed);
      ordered.push(needed);
    }
  };
  if (start !== undefined) visit(start);
  return ordered;
}
