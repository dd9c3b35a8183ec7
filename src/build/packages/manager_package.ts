/** @module Maps a package manager to its npm package. Pure. */
import type { PackageManager } from "../../manifest/mod.ts";

/** The machine on which a package manager should run. */
export interface Machine {
  readonly os: typeof Deno.build.os;
  readonly arch: typeof Deno.build.arch;
  /** True if programs are linked against musl, as on Alpine Linux. */
  readonly musl: boolean;
}

export interface ManagerPackage {
  /** Name of the package in the registry. */
  readonly name: string;
  /**
   * The content that a hash in `packageManager` applies to: the package's archive, or a file in
   * that archive. `undefined` if the package does not contain that file.
   */
  readonly hashed: "archive" | { readonly file: string } | undefined;
  /** Paths of programs, keyed by name, for packages whose `package.json` has no `bin`. */
  readonly programs?: Readonly<Record<string, string>>;
}

/** Returns whether a version, range or tag refers to Yarn 2 or later. */
const isModernYarn = (version: string) => Number(/^\D*(\d+)/.exec(version)?.[1] ?? 1) >= 2;

const ARCHITECTURES: Readonly<Record<Machine["arch"], string>> = {
  x86_64: "x64",
  aarch64: "arm64",
};

function bunPackage({ os, arch, musl }: Machine): ManagerPackage | undefined {
  if (os !== "linux" && os !== "darwin" && os !== "windows") return undefined;
  const architecture = arch === "aarch64" ? "aarch64" : "x64";
  const parts = [
    os,
    architecture,
    ...(musl ? ["musl"] : []),
    // The baseline build also runs on processors without AVX2.
    ...(arch === "x86_64" ? ["baseline"] : []),
  ];
  const program = os === "windows" ? "bin/bun.exe" : "bin/bun";
  return {
    name: `@oven/bun-${parts.join("-")}`,
    hashed: undefined,
    programs: { bun: program, bunx: program },
  };
}

function denoPackage({ os, arch, musl }: Machine): ManagerPackage | undefined {
  const system = { linux: "linux", darwin: "darwin", windows: "win32" }[os as string];
  if (system === undefined || musl) return undefined;
  const parts = [system, ARCHITECTURES[arch], ...(os === "linux" ? ["glibc"] : [])];
  return {
    name: `@deno/${parts.join("-")}`,
    hashed: undefined,
    programs: { deno: os === "windows" ? "deno.exe" : "deno" },
  };
}

/**
 * Returns the npm package for a version of a package manager. Returns `undefined` if there is none
 * for this machine.
 */
export function managerPackage(
  manager: PackageManager,
  { version, machine }: { readonly version: string; readonly machine: Machine },
): ManagerPackage | undefined {
  switch (manager) {
    case "npm":
    case "pnpm":
      return { name: manager, hashed: "archive" };
    case "yarn":
      return isModernYarn(version)
        ? { name: "@yarnpkg/cli-dist", hashed: { file: "bin/yarn.js" } }
        : { name: "yarn", hashed: "archive" };
    case "bun":
      return bunPackage(machine);
    case "deno":
      return denoPackage(machine);
  }
}
