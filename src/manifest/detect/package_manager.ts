/**
 * Which package manager a project uses, and how it is called.
 *
 * @module
 */
import type { ProjectReader } from "../frameworks/types.ts";
import type { PackageFacts, PackageManager } from "./types.ts";

interface Found {
  readonly manager: PackageManager;
  /** The lock file that shows it, if any: a path from the project. */
  readonly lockFile: string | undefined;
}

/** Folders above the project in which the root of its workspace is looked for. */
const ABOVE = ["../", "../../", "../../../"] as const;

/**
 * The folder that installs for the project: `../` and the like where it is a
 * part of a workspace (of npm, pnpm, Yarn or Bun), "" where it is not.
 */
export async function workspaceRoot(reader: ProjectReader): Promise<string> {
  for (const folder of ABOVE) {
    if (await reader.exists(`${folder}pnpm-workspace.yaml`)) return folder;
    const text = await reader.readText(`${folder}package.json`);
    if (text !== undefined && /"workspaces"\s*:/.test(text)) return folder;
  }
  return "";
}

const LOCK_FILES: readonly (readonly [string, PackageManager])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
  ["deno.lock", "deno"],
];

interface Calls {
  readonly run: string;
  readonly exec: string;
  readonly add: string;
  readonly addDev: string;
}

/** How a manager calls a package.json script and a program of a dependency, and adds packages. */
const CALLS: Readonly<Record<PackageManager, Calls>> = {
  npm: { run: "npm run", exec: "npx", add: "npm install ", addDev: "npm install --save-dev " },
  pnpm: { run: "pnpm run", exec: "pnpm exec", add: "pnpm add ", addDev: "pnpm add --save-dev " },
  yarn: { run: "yarn run", exec: "yarn run", add: "yarn add ", addDev: "yarn add --dev " },
  bun: { run: "bun run", exec: "bunx", add: "bun add ", addDev: "bun add --dev " },
  deno: {
    run: "deno task",
    exec: "deno run -A npm:",
    add: "deno add npm:",
    addDev: "deno add --dev npm:",
  },
};

async function findLockFile(
  reader: ProjectReader,
  where: { readonly folders: readonly string[]; readonly of?: PackageManager },
) {
  for (const folder of where.folders) {
    for (const [name, manager] of LOCK_FILES) {
      const lockFile = `${folder}${name}`;
      const wanted = where.of === undefined || where.of === manager;
      if (wanted && await reader.exists(lockFile)) return { lockFile, manager };
    }
  }
  return undefined;
}

/**
 * Detects the package manager: the `packageManager` field, then the lock file
 * of the project or of its workspace, then Deno's own config, then npm where
 * there is a package.json.
 */
export async function detectPackageManager(
  reader: ProjectReader,
  facts: PackageFacts | undefined,
  root: string,
): Promise<Found | undefined> {
  const folders = root === "" ? [""] : ["", root];
  const named = /^(npm|pnpm|yarn|bun|deno)@/.exec(facts?.packageManager ?? "")?.[1] as
    | PackageManager
    | undefined;
  if (named !== undefined) {
    return {
      manager: named,
      lockFile: (await findLockFile(reader, { folders, of: named }))?.lockFile,
    };
  }
  const locked = await findLockFile(reader, { folders });
  if (locked !== undefined) return locked;
  const denoConfig = await reader.exists("deno.json") || await reader.exists("deno.jsonc");
  if (denoConfig) return { manager: "deno", lockFile: undefined };
  return facts === undefined ? undefined : { manager: "npm", lockFile: undefined };
}

/** Yarn from version 2 on spells its frozen install in another way. */
async function isModernYarn(
  reader: ProjectReader,
  facts: PackageFacts | undefined,
  lockFile: string,
) {
  const major = /^yarn@(\d+)/.exec(facts?.packageManager ?? "")?.[1];
  return major === undefined
    ? await reader.exists(lockFile.replace(/[^/]*$/, ".yarnrc.yml"))
    : Number(major) >= 2;
}

/** The install command; it keeps to the lock file where there is one. */
export async function installCommand(
  { manager, lockFile }: Found,
  reader: ProjectReader,
  facts: PackageFacts | undefined,
): Promise<string> {
  if (lockFile === undefined || manager === "deno") return `${manager} install`;
  if (manager === "npm") return "npm ci";
  const modern = manager === "yarn" && await isModernYarn(reader, facts, lockFile);
  return `${manager} install ${modern ? "--immutable" : "--frozen-lockfile"}`;
}

/** The command line that runs a script of package.json. */
export function runScript(manager: PackageManager, script: string): string {
  return `${CALLS[manager].run} ${script}`;
}

/** The command line that runs a program of the npm package `package`. */
export function runProgram(
  manager: PackageManager,
  program: { readonly commandLine: string; readonly package: string },
): string {
  if (manager !== "deno") return `${CALLS[manager].exec} ${program.commandLine}`;
  const args = program.commandLine.split(" ").slice(1);
  return [`${CALLS.deno.exec}${program.package}`, ...args].join(" ");
}

/** The command line that adds a package to a project. */
export function addPackage(manager: PackageManager, name: string, kind?: "dev"): string {
  return `${kind === "dev" ? CALLS[manager].addDev : CALLS[manager].add}${name}`;
}
