/**
 * What detection finds.
 *
 * @module
 */
import type { Advice } from "../frameworks/types.ts";

export type PackageManager = "npm" | "pnpm" | "yarn" | "bun" | "deno";

/** What package.json says, as far as detection needs it. */
export interface PackageFacts {
  /** Version ranges of `dependencies` and `devDependencies`, by name. */
  readonly dependencies: ReadonlyMap<string, string>;
  readonly scripts: ReadonlyMap<string, string>;
  /** The `packageManager` field, such as `pnpm@9.1.0`. */
  readonly packageManager: string | undefined;
}

export interface DetectedFramework {
  readonly id: string;
  readonly name: string;
  /** The installed version, the locked one, or the lowest that package.json allows. */
  readonly version?: string;
}

export interface DetectedProject {
  /** `undefined` for plain files and for programs that are not known. */
  readonly framework: DetectedFramework | undefined;
  readonly packageManager: PackageManager | undefined;
  readonly installCommand: string | undefined;
  readonly buildCommand: string | undefined;
  readonly devCommand: string | undefined;
  /** Where the output may lie, most likely first, relative to the project. */
  readonly outputDirs: readonly string[];
  /** Set where the build makes a server: why that is known, as a clause. */
  readonly server: { readonly reason: string } | undefined;
  /** Set where the build is for another platform, or lacks what makes its server. */
  readonly advice: Advice | undefined;
  /** Where packages are installed, from the project: its own `node_modules`, or its workspace's. */
  readonly packagesFolder: string;
  /** Whether package.json names packages, which must be installed before anything runs. */
  readonly hasPackages: boolean;
}
