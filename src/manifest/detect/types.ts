/** @module Types of detection results. */
import type { PageUrls } from "../../lib/page_urls.ts";
import type { Advice, ServerLayout } from "../frameworks/types.ts";

export const PACKAGE_MANAGERS = ["npm", "pnpm", "yarn", "bun", "deno"] as const;
export type PackageManager = (typeof PACKAGE_MANAGERS)[number];

/** A hash of a package manager's archive, as in `packageManager`. */
export interface ManagerHash {
  readonly algorithm: "sha1" | "sha224" | "sha256" | "sha384" | "sha512";
  /** The hash in lowercase hexadecimal digits. */
  readonly hex: string;
}

/** A project's package manager, and the evidence for it. */
export interface FoundManager {
  readonly name: PackageManager;
  /** An exact version, a range or a tag, or `undefined` if any version will do. */
  readonly version: string | undefined;
  readonly hash: ManagerHash | undefined;
  /** Path of the lock file relative to the project, if there is one. */
  readonly lockFile: string | undefined;
  /** Lock files of other package managers, which are not used. */
  readonly otherLockFiles: readonly string[];
  /** The evidence for the package manager, such as `pnpm-lock.yaml`. */
  readonly reason: string;
  /**
   * The problem with the field that names the package manager, as a sentence. If there is a
   * problem, the field is ignored.
   */
  readonly problem: string | undefined;
}

/** The fields of package.json that detection needs. */
export interface PackageFacts {
  readonly name: string | undefined;
  /** Version ranges of `dependencies` and `devDependencies`, by name. */
  readonly dependencies: ReadonlyMap<string, string>;
  /** Whether there are `dependencies`. */
  readonly hasRuntimePackages: boolean;
  readonly scripts: ReadonlyMap<string, string>;
  /** The unchanged `packageManager` field, such as `pnpm@9.1.0`. */
  readonly packageManager?: unknown;
  /** The unchanged `devEngines.packageManager` field. */
  readonly devManager?: unknown;
}

interface DetectedFramework {
  readonly id: string;
  readonly name: string;
  /** The installed version, the locked version, or the lowest version that package.json allows. */
  readonly version?: string;
}

export interface DetectedProject {
  /** `undefined` for plain files and unknown programs. */
  readonly framework: DetectedFramework | undefined;
  readonly packageManager: PackageManager | undefined;
  readonly manager: FoundManager | undefined;
  readonly installCommand: string | undefined;
  readonly buildCommand: string | undefined;
  readonly devCommand: string | undefined;
  /**
   * Command that starts the server, if the server is a program in a language other than JavaScript.
   */
  readonly startCommand?: string;
  /** IDs of the toolchains on this machine that build the project. Missing if none are needed. */
  readonly toolchains?: readonly string[];
  /** Possible output folders, most likely first, relative to the project. */
  readonly outputDirs: readonly string[];
  /**
   * The evidence that the build creates a server, as a clause. `undefined` if there is no server.
   */
  readonly server: {
    readonly reason: string;
    /** The expected path of the server and its files, if known. */
    readonly layout?: ServerLayout;
  } | undefined;
  /**
   * Advice if the build is meant for another platform, or lacks the part that creates the server.
   */
  readonly advice: Advice | undefined;
  /** URLs that the framework uses in links to pages. Defaults to the URLs of the files. */
  readonly urls?: PageUrls;
  /** Folder of installed packages: `node_modules` of the project or of its workspace. */
  readonly packagesFolder: string;
  /**
   * Folder in which packages are installed, relative to the project: "" for the project itself, or
   * `../`, `../../` and so on for its workspace.
   */
  readonly installsIn: string;
  /**
   * The packages to install: for a build, for running the project (`dependencies` in package.json),
   * or none.
   */
  readonly packages: "build" | "runtime" | "none";
}
