/**
 * @module Finds the package manager that installed the program. If there is one, only it may
 * replace the program.
 */
import { runProgram } from "../../lib/spawn_program.ts";

interface PackageOwner {
  /** Name of the package manager. */
  readonly name: string;
  /** The command that upgrades svc. */
  readonly command: string;
}

interface Rule extends PackageOwner {
  /** Matches the program's path, with forward slashes. */
  readonly path: RegExp;
}

const RULES: readonly Rule[] = [
  { name: "Homebrew", path: /\/Cellar\/svc\//, command: "brew upgrade svc" },
  { name: "Scoop", path: /\/scoop\/apps\/svc\//i, command: "scoop update svc" },
  { name: "npm", path: /\/node_modules\//, command: "npm install --global svc@latest" },
];

/** Folders that Debian packages install programs into. */
const DEBIAN_FOLDERS = /^\/(?:usr\/(?:bin|sbin|lib|libexec|games)|bin|sbin|opt)\//;

const DEBIAN: PackageOwner = {
  name: "Debian's package manager",
  command: "sudo apt-get install --only-upgrade svc",
};

/** Finds the owner by the path. Returns `undefined` if the path does not reveal it. */
export function ownerByPath(path: string): PackageOwner | undefined {
  const slashed = path.replaceAll("\\", "/");
  const found = RULES.find((rule) => rule.path.test(slashed));
  return found === undefined ? undefined : { name: found.name, command: found.command };
}

/** Returns true if Debian packages install programs to a path. */
export function mayBeDebian(path: string): boolean {
  return DEBIAN_FOLDERS.test(path);
}

/**
 * Finds the owner of the program at a real path. Asks `dpkg` if the program may be from a Debian
 * package.
 */
export async function findOwner(path: string): Promise<PackageOwner | undefined> {
  const owner = ownerByPath(path);
  if (owner !== undefined || !mayBeDebian(path)) return owner;
  try {
    const { success } = await runProgram("dpkg-query", {
      args: ["--search", path],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    });
    return success ? DEBIAN : undefined;
  } catch {
    // Without dpkg, there are no Debian packages.
    return undefined;
  }
}
