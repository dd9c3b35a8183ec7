/** @module Types for the description of a framework; each framework has one file in this folder. */

import type { PageUrls } from "../../lib/page_urls.ts";
import type { ImageSettings } from "../image_settings.ts";

/** The project's folder as detection reads it: single files by name, without walking it. */
export interface ProjectReader {
  /** Absolute path of the project, if it is known. */
  readonly directory?: string;
  /** The text of a file relative to the project, with `/`; `undefined` if there is none. */
  readText(path: string): Promise<string | undefined>;
  exists(path: string): Promise<boolean>;
  /**
   * Paths of the files below a folder, relative and sorted, up to a limit; without packages or dot
   * files. Only folders known by name are listed.
   */
  list?(folder: string): Promise<readonly string[]>;
}

/** Facts that identify a project's framework. */
export interface ProjectFacts {
  readonly reader: ProjectReader;
  /** Names of the packages in package.json. */
  readonly dependencies: Pick<ReadonlySet<string>, "has">;
}

/** The inputs of a framework's detection code. */
export interface FrameworkFacts extends ProjectFacts {
  readonly dependencies: ReadonlyMap<string, string>;
  readonly buildScript: string | undefined;
  /** The command line that adds a package to the project. */
  readonly add: (name: string, kind?: "dev") => string;
  /** The command line that runs the framework's own program. */
  readonly run: (commandLine: string) => string;
  /** The framework's config file without comments; empty if there is none. */
  readonly config: { readonly path: string; readonly text: string } | undefined;
}

/** Findings of a framework's detection code, beyond its table row. */
export interface FrameworkFinding {
  /** Output directories to try before those of the table row. */
  readonly outputDirs?: readonly string[];
  /** Build command instead of that of the table row, without the package manager. */
  readonly build?: string;
  readonly dev?: string;
  /**
   * The evidence that the build creates a server, as a clause:
   * `astro.config.mjs sets output "server"`.
   */
  readonly server?: string;
  /** The server's path in the project, instead of that in the table row. */
  readonly layout?: ServerLayout;
  /** Shell command that starts its server, if that is not a JavaScript program. */
  readonly start?: string;
  /** Ids of the toolchains of this machine that build it. */
  readonly toolchains?: readonly string[];
  /** Set if nothing must be installed, regardless of package.json. */
  readonly packages?: "none";
  /** Command that installs the packages of a project without package.json. */
  readonly install?: string;
  readonly advice?: Advice;
  /** URLs of its pages, instead of those of the table row. */
  readonly urls?: PageUrls;
}

/** The path of a built server and its files. */
export interface ServerLayout {
  readonly entry: string;
  /** Folder of the files that the edge serves; by default, the server handles everything. */
  readonly files?: string;
  /** True for a server that is written for Deno. */
  readonly forDeno?: boolean;
}

/** A required change before the build output can be deployed. */
export interface Advice {
  /** Action, subject and current value. */
  readonly message: string;
  /** Commands and files that settle it. */
  readonly hint: string;
}

/**
 * A build's output: the paths of its files, relative and with `/`, and the text of single ones.
 * Does not search folders named `node_modules`.
 */
export interface BuiltOutput {
  /** The folder, relative to the project; `.` is the project itself. */
  readonly directory: string;
  readonly paths: readonly string[];
  /** `undefined` if there is no such file. */
  readonly readText: (path: string) => Promise<string | undefined>;
  readonly project: ProjectReader;
}

/** A change to modules of a server as they are deployed; the author's files do not change. */
export interface ModuleEdit {
  /** Selects modules by their path in the deployment. */
  readonly path: RegExp;
  /** The new text; `undefined` if the module does not change. */
  readonly apply: (text: string) => string | undefined;
}

/** Additional files that let a framework's server listen where the platform expects it. */
export interface Launch {
  /** Text that runs before the server's own code. */
  readonly prelude?: string;
  /** Text of a module instead of the entry; it imports the entry as `file`. */
  readonly wrapper?: (file: string) => string;
  /** True for a server written for Deno, whose checks for Deno are valid. */
  readonly forDeno?: boolean;
  /** The import map for bare names, in Deno's format. */
  readonly imports?: Readonly<Record<string, string>>;
  /** Module whose functions JSX calls, if no tsconfig.json sets it. */
  readonly jsxImportSource?: string;
  readonly edits?: readonly ModuleEdit[];
}

/**
 * Maps files of the project to places in the deployment. From the project itself, ignored files,
 * dot files and `functions/` are left out; named folders are complete. If two placements have the
 * same path, the later counts.
 */
export interface Placement {
  /** A file or folder, relative to the project; `.` is the project itself. */
  readonly from: string;
  /** The folder in the deployment; `.` is its root. */
  readonly to: string;
  /** True if it may be missing. */
  readonly optional?: boolean;
}

/** Pages of a server that the edge stores (ISR). */
export interface FoundRoute {
  /** Patterns of URL paths, as in a manifest. */
  readonly pattern: string;
  /** Seconds for which a page is fresh; 0 stores none. */
  readonly revalidate: number;
  /** If two routes match a path, the one with the higher number counts. */
  readonly precision: number;
}

/** The server that a build created. */
export interface FoundServer {
  readonly type: "server";
  /**
   * Set if the deployment is assembled from several folders of the project, instead of the output
   * directory; `directory`, `entry` and `clients` are paths in it.
   */
  readonly placements?: readonly Placement[];
  readonly launch: Launch;
  /** Shell command that starts it, if it is not a JavaScript server. */
  readonly command?: string;
  /** Name of the local container image that it starts in, with the image's own command. */
  readonly image?: string;
  /**
   * Script of package.json that starts it on Node, if it does more than run the entry: the author's
   * files are then deployed unchanged, without `launch`.
   */
  readonly script?: string;
  /** Packages that it imports by names that it computes, which are deployed for Node. */
  readonly alsoImports?: readonly string[];
  /** Folder of the server and its entry, both relative to the output. */
  readonly directory: string;
  readonly entry: string;
  /** Folders with files to serve unchanged, in order of preference. */
  readonly clients: readonly string[];
  /**
   * Folders of the first client with content-addressed files, as URL paths with a final slash;
   * those of the framework's row by default.
   */
  readonly hashedFolders?: readonly string[];
  /** Patterns of URL paths that the server handles even if a file has that path. */
  readonly beforeFiles?: readonly string[];
  /** Its pages that the edge stores; those with a file of that path excepted. */
  readonly routes?: readonly FoundRoute[];
  /** Notes for the author: framework settings that have no effect here. */
  readonly notes?: readonly string[];
  /** Memory that it needs, in MiB; the usual amount by default. */
  readonly memoryMb?: number;
  /** Maximum time to the head of its responses, in milliseconds; the usual time by default. */
  readonly timeoutMs?: number;
  /**
   * Set if the server only handles some URL paths, and the first client all others: patterns of
   * those paths, and of those that it handles if there is no file.
   */
  readonly only?: { readonly paths: readonly string[]; readonly withoutFile: readonly string[] };
  /** Other modules that are compiled for Node, with their paths in the deployment. */
  readonly compiles?: Readonly<Record<string, string>>;
  /** Page of the first client for documents without a file; a path of the deployment. */
  readonly fallback?: string;
  /**
   * Set if the framework converts images on request: the platform serves its endpoint with the
   * project's settings.
   */
  readonly images?: ImageSettings;
  /** Ids under which its pages name it in their requests. */
  readonly pageIds?: readonly string[];
}

/** Plain files below a folder. */
export interface FoundFiles {
  readonly type: "static";
  readonly directory: string;
  /** Like a server's; `directory` is then a path in their result. */
  readonly placements?: readonly Placement[];
  /** Page of a single-page app, which serves documents without a file; relative to the output. */
  readonly fallback?: string;
  /** Notes for the author: parts of the project that are not deployed. */
  readonly notes?: readonly string[];
}

export type Found =
  | FoundServer
  | FoundFiles
  /** The build is for another platform, or lacks its server. */
  | {
    readonly type: "unusable";
    readonly message: string;
    readonly hint?: string;
    /** More details for programs. */
    readonly details?: Readonly<Record<string, unknown>>;
  };

/** A framework's server, and how to run it. */
export interface FrameworkServer {
  /** Examines an output; `advice` is detection's advice about the project. */
  find(output: BuiltOutput, advice: Advice | undefined): Found | Promise<Found>;
  /** Its usual path, relative to the output. */
  readonly layout?: ServerLayout;
}

/** A folder whose files are named by their content and therefore never change. */
export interface HashedFolder {
  /** Relative to the site's root, with a final slash. */
  readonly path: string;
  /** A folder inside whose files do change. */
  readonly except?: string;
}

/** One framework: its detection, its defaults, and its output. */
export interface Framework {
  /** Short name, as in `projects create --framework`. */
  readonly id: string;
  readonly name: string;
  /** npm packages that identify it; the first one found determines its version. */
  readonly packages: readonly string[];
  /** Config files in the order of the framework's own search. */
  readonly configFiles: readonly string[];
  /** True if a config file is enough to identify it. */
  readonly configIdentifies?: boolean;
  /**
   * Whether a project uses this framework; called for projects with one of the packages, or for
   * every project if `packages` is empty.
   */
  readonly applies?: (facts: ProjectFacts) => boolean | Promise<boolean>;
  /** Command lines of the framework's own program; `undefined` if it has none. */
  readonly build: string | undefined;
  readonly dev: string | undefined;
  readonly outputDirs: readonly string[];
  /**
   * True if its servers are programs in another language, which a script of package.json only helps
   * to build.
   */
  readonly isLanguage?: boolean;
  /** True if the program is not an npm package. */
  readonly standalone?: boolean;
  /** True if its sites without a server have one page, whose script shows every path. */
  readonly isSinglePage?: boolean;
  /** Folders of its output with files named by their content, as the framework documents it. */
  readonly hashedFolders?: readonly HashedFolder[];
  /** URLs of its links to pages, if they differ from the default URLs of its files. */
  readonly urls?: PageUrls;
  /** The file that open pages read to find the live version, relative to the site's root. */
  readonly versionFile?: string;
  /** Set if its servers can be deployed. */
  readonly server?: FrameworkServer;
  /** The variable of its build for the id that pages send, which is a new one for each build. */
  readonly pageIdVariable?: string;
  /** Variables that its build gets, for instance to send no telemetry. */
  readonly buildVariables?: Readonly<Record<string, string>>;
  inspect?(facts: FrameworkFacts): FrameworkFinding | Promise<FrameworkFinding>;
}
