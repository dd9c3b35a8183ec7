/**
 * What detection reads and what it finds.
 *
 * @module
 */

/** The project's folder, as far as detection looks: single files by name, never a list. */
export interface ProjectReader {
  /** The text of a file relative to the project, with `/`; `undefined` where there is none. */
  readText(path: string): Promise<string | undefined>;
  /** Whether a file or folder is there. */
  exists(path: string): Promise<boolean>;
}

export type PackageManager = "npm" | "pnpm" | "yarn" | "bun" | "deno";

/** What package.json says, as far as detection needs it. */
export interface PackageFacts {
  /** Version ranges of `dependencies` and `devDependencies`, by name. */
  readonly dependencies: ReadonlyMap<string, string>;
  readonly scripts: ReadonlyMap<string, string>;
  /** The `packageManager` field, such as `pnpm@9.1.0`. */
  readonly packageManager: string | undefined;
}

/** What a framework's file looks at. */
export interface FrameworkFacts {
  readonly reader: ProjectReader;
  readonly dependencies: ReadonlyMap<string, string>;
  readonly buildScript: string | undefined;
  /** The command line that adds a package to the project. */
  readonly add: (name: string, kind?: "dev") => string;
  /** The command line that runs the framework's own program. */
  readonly run: (commandLine: string) => string;
  /** The framework's config file, its comments removed; empty where there is none. */
  readonly config: { readonly path: string; readonly text: string } | undefined;
}

/** What a framework's file finds, beyond its table row. */
export interface FrameworkFinding {
  /** Output directories before those of the table row. */
  readonly outputDirs?: readonly string[];
  /** Build command in place of that of the table row, without the package manager. */
  readonly build?: string;
  readonly dev?: string;
  /** Why the build makes a server, as a clause: `astro.config.mjs sets output "server"`. */
  readonly server?: string;
  readonly advice?: Advice;
}

/** What has to change before the build makes something that can be deployed. */
export interface Advice {
  /** Action, subject and what is there now. */
  readonly message: string;
  /** Commands and files that settle it. */
  readonly hint: string;
}

/** One framework: how it is recognized and what it does unless configured. */
export interface Framework {
  /** Short name, as `projects create --framework` takes it. */
  readonly id: string;
  readonly name: string;
  /** npm packages of which one identifies it; the first one found tells the version. */
  readonly packages: readonly string[];
  /** Config files in the order of the framework's own search. */
  readonly configFiles: readonly string[];
  /** True where a config file alone identifies it. */
  readonly configIdentifies?: boolean;
  /** Command lines of the framework's own program. */
  readonly build: string;
  readonly dev: string;
  readonly outputDirs: readonly string[];
  /** True where the program is no npm package. */
  readonly standalone?: boolean;
  inspect?(facts: FrameworkFacts): FrameworkFinding | Promise<FrameworkFinding>;
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
