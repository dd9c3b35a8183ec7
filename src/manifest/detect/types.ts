/** @module Types of detection results. */
import type { PageUrls } from "../../lib/page_urls.ts";
import type { Advice, ServerLayout } from "../frameworks/types.ts";

export const PACKAGE_MANAGERS = ["npm", "pnpm", "yarn", "bun", "deno"] as const;
export type PackageManager = (typeof PACKAGE_MANAGERS)[number];

/** A hash of a package manager's archive, as in `packageManager`. */
export interface ManagerHash {
  readonly algorithm: "sha1" | "sha224" | "sha256" | "sha384" | "sha512";
  /** Lower-case hexadecimal digits. */
  readonly hex: string;
}

/** The package manager of a project, and the evidence. */
export interface FoundManager {
  readonly name: PackageManager;
  /** An exact version, a range or a tag; `undefined` if any will do. */
  readonly version: string | undefined;
  readonly hash: ManagerHash | undefined;
  /** Its lock file, if any: a path from the project. */
  readonly lockFile: string | undefined;
  /** Lock files of other package managers, which are not used. */
  readonly otherLockFiles: readonly string[];
  /** The reason, as in "pnpm (pnpm-lock.yaml)". */
  readonly reason: string;
  /** The problem of the field that names it, as a sentence; the field is then ignored. */
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
  /** The field `devEngines.packageManager`, unchanged. */
  readonly devManager?: unknown;
}

export interface DetectedFramework {
  readonly id: string;
  readonly name: string;
  /** The installed version, the locked one, or the lowest that package.json allows. */
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
  /** Command that starts its server, if that is a program in another language than JavaScript. */
  readonly startCommand?: string;
  /** Ids of the toolchains of this machine that build it; none if missing. */
  readonly toolchains?: readonly string[];
  /** Possible output folders, most likely first, relative to the project. */
  readonly outputDirs: readonly string[];
  /** Set if the build creates a server: the evidence, as a clause. */
  readonly server: {
    readonly reason: string;
    /** The expected path of the server and its files, if known. */
    readonly layout?: ServerLayout;
  } | undefined;
  /** Set if the build is for another platform, or lacks the part that creates its server. */
  readonly advice: Advice | undefined;
  /** URLs that its framework links pages by; the default by default. */
  readonly urls?: PageUrls;
  /** The folder of installed packages: the project's `node_modules`, or its workspace's. */
  readonly packagesFolder: string;
  /**
   * The folder that installs, from the project: "" for its own, `../` or `../../` and so on for its
   * workspace's.
   */
  readonly installsIn: string;
  /**
   * The packages to install: for a build, for running the project (`dependencies` of its
   * package.json), or none.
   */
  readonly packages: "build" | "runtime" | "none";
}
