/** @module Types for describing a framework. Each framework has one file in this folder. */

import type { PageUrls } from "../../lib/page_urls.ts";
import type { ImageSettings } from "../image_settings.ts";

/**
 * The interface through which detection reads the project's folder: single files by name, without
 * listing the whole folder.
 */
export interface ProjectReader {
  /** Absolute path of the project, if it is known. */
  readonly directory?: string;
  /**
   * Reads a text file. The path is relative to the project, with `/` as separator. Returns
   * `undefined` if the file does not exist.
   */
  readText(path: string): Promise<string | undefined>;
  exists(path: string): Promise<boolean>;
  /**
   * Lists the relative paths of the files below a folder, sorted and up to a limit. Packages and
   * dot files are omitted. Called only for folders with known names.
   */
  list?(folder: string): Promise<readonly string[]>;
}

/** Data that identifies a project's framework. */
export interface ProjectFacts {
  readonly reader: ProjectReader;
  /** Names of the packages in package.json. */
  readonly dependencies: Pick<ReadonlySet<string>, "has">;
}

/** Data that a framework's detection code can use. */
export interface FrameworkFacts extends ProjectFacts {
  readonly dependencies: ReadonlyMap<string, string>;
  readonly buildScript: string | undefined;
  /** Returns the command line that adds a package to the project. */
  readonly add: (name: string, kind?: "dev") => string;
  /** Returns the command line that runs the framework's own program. */
  readonly run: (commandLine: string) => string;
  /** The framework's config file without comments, or `undefined` if there is none. */
  readonly config: { readonly path: string; readonly text: string } | undefined;
}

/** Findings of a framework's detection code that override the framework's entry in the table. */
export interface FrameworkFinding {
  /** Output directories that are tried before the framework's own. */
  readonly outputDirs?: readonly string[];
  /** Build command that replaces the framework's own, without the package manager. */
  readonly build?: string;
  readonly dev?: string;
  /**
   * The evidence that the build creates a server, as a clause:
   * `astro.config.mjs sets output "server"`.
   */
  readonly server?: string;
  /** The server's path in the project, if it differs from the framework's default. */
  readonly layout?: ServerLayout;
  /** Shell command that starts the server, if the server is not a JavaScript program. */
  readonly start?: string;
  /** IDs of the toolchains on this machine that build the project. */
  readonly toolchains?: readonly string[];
  /** Set if no packages need to be installed, regardless of package.json. */
  readonly packages?: "none";
  /** Command that installs the packages of a project without a package.json. */
  readonly install?: string;
  readonly advice?: Advice;
  /** URLs of the pages, if they differ from the framework's default. */
  readonly urls?: PageUrls;
}

/** The path of a built server, and the folder of the site's files. */
export interface ServerLayout {
  readonly entry: string;
  /** Folder of the files that the edge serves. If missing, the server handles everything. */
  readonly files?: string;
  /** True for a server written for Deno. */
  readonly forDeno?: boolean;
}

/** A change that the author must make before the build output can be deployed. */
export interface Advice {
  /** Message with the action, the subject and the current value. */
  readonly message: string;
  /** Commands and files that fix the problem. */
  readonly hint: string;
}

/**
 * A build's output: the relative paths of its files (with `/` as separator), and the contents of
 * single files. Folders named `node_modules` are not searched.
 */
export interface BuiltOutput {
  /** Folder of the output, relative to the project. `.` is the project itself. */
  readonly directory: string;
  readonly paths: readonly string[];
  /** Reads a text file. Returns `undefined` if the file does not exist. */
  readonly readText: (path: string) => Promise<string | undefined>;
  readonly project: ProjectReader;
}

/** A change to modules in a server's deployment. The author's own files stay unchanged. */
interface ModuleEdit {
  /** Selects modules by their path in the deployment. */
  readonly path: RegExp;
  /** Returns the new text, or `undefined` if the module does not change. */
  readonly apply: (text: string) => string | undefined;
}

/** Additional files that make a framework's server listen where the platform expects. */
export interface Launch {
  /** Code that runs before the server's own code. */
  readonly prelude?: string;
  /**
   * Returns the code of a module to start instead of the entry. The module imports the entry as
   * `file`.
   */
  readonly wrapper?: (file: string) => string;
  /** True for a server written for Deno instead of Node. */
  readonly forDeno?: boolean;
  /** The import map for bare specifiers, in Deno's format. */
  readonly imports?: Readonly<Record<string, string>>;
  /** Module whose functions JSX calls, if no tsconfig.json sets it. */
  readonly jsxImportSource?: string;
  readonly edits?: readonly ModuleEdit[];
}

/**
 * Maps files in the project to paths in the deployment. A placement of the project itself leaves
 * out ignored files, dot files and `functions/`, while a placement of a named folder contains all
 * of its files. If two placements put a file at the same path, the later one takes precedence.
 */
export interface Placement {
  /** A file or folder, relative to the project; `.` is the project itself. */
  readonly from: string;
  /** Path in the deployment; `.` is its root. */
  readonly to: string;
  /** True if the file or folder does not have to exist. */
  readonly optional?: boolean;
}

/** Server pages that the edge stores (ISR). */
export interface FoundRoute {
  /** Pattern for URL paths, as in a manifest. */
  readonly pattern: string;
  /** Number of seconds for which a page is fresh. If 0, pages are not stored. */
  readonly revalidate: number;
  /** If two routes match a path, the route with the higher number is used. */
  readonly precision: number;
}

/** The server that a build created. */
export interface FoundServer {
  readonly type: "server";
  /**
   * Set if the deployment is assembled from several project folders instead of the output
   * directory. `directory`, `entry` and `clients` are then paths in the deployment.
   */
  readonly placements?: readonly Placement[];
  readonly launch: Launch;
  /** Shell command that starts the server, if the server is not written in JavaScript. */
  readonly command?: string;
  /**
   * Name of the local container image in which the server runs. The image's own command starts the
   * server.
   */
  readonly image?: string;
  /**
   * Script in package.json that starts the server on Node, if the script does more than run the
   * entry. The author's files are then deployed unchanged, without `launch`.
   */
  readonly script?: string;
  /** Packages that the server imports by computed names. These packages are deployed for Node. */
  readonly alsoImports?: readonly string[];
  /** Folder of the server and its entry, both relative to the output. */
  readonly directory: string;
  readonly entry: string;
  /** Folders of files to serve unchanged, in order of preference. */
  readonly clients: readonly string[];
  /**
   * Folders of the first client in which file names contain a hash of the content, as URL paths
   * with a trailing slash. Defaults to the framework's folders.
   */
  readonly hashedFolders?: readonly string[];
  /** Patterns for URL paths that the server handles even if a file exists at the path. */
  readonly beforeFiles?: readonly string[];
  /** Pages that the edge stores, except those for which a file exists. */
  readonly routes?: readonly FoundRoute[];
  /** Notes for the author: framework settings that have no effect on svc. */
  readonly notes?: readonly string[];
  /** Memory that the server needs, in MiB. Defaults to the platform's default. */
  readonly memoryMb?: number;
  /**
   * Maximum time until the server sends the response headers, in milliseconds. Defaults to the
   * platform's limit.
   */
  readonly timeoutMs?: number;
  /**
   * Set if the server handles only some URL paths, and the first client handles all others.
   * Contains patterns for paths that the server always handles, and for paths that the server
   * handles if there is no file.
   */
  readonly only?: { readonly paths: readonly string[]; readonly withoutFile: readonly string[] };
  /** Additional modules to compile for Node, with their paths in the deployment. */
  readonly compiles?: Readonly<Record<string, string>>;
  /** Page of the first client to serve if a document has no file, as a path in the deployment. */
  readonly fallback?: string;
  /**
   * Set if the framework converts images on request. The platform then serves the framework's image
   * endpoint with the project's settings.
   */
  readonly images?: ImageSettings;
  /** IDs that pages use in their requests to identify their deployment. */
  readonly pageIds?: readonly string[];
}

/** Plain files below a folder. */
export interface FoundFiles {
  readonly type: "static";
  readonly directory: string;
  /** Like a server's placements. If set, `directory` is a path in the deployment. */
  readonly placements?: readonly Placement[];
  /** Page of a single-page app that is served if a document has no file, relative to the output. */
  readonly fallback?: string;
  /** Notes for the author: parts of the project that are not deployed. */
  readonly notes?: readonly string[];
}

export type Found =
  | FoundServer
  | FoundFiles
  /** The build is for another platform, or lacks a server. */
  | {
    readonly type: "unusable";
    readonly message: string;
    readonly hint?: string;
    /** More details, for programs. */
    readonly details?: Readonly<Record<string, unknown>>;
  };

/** A framework's server, and how to find and run it. */
export interface FrameworkServer {
  /** Examines an output. `advice` is the advice that detection gave. */
  find(output: BuiltOutput, advice: Advice | undefined): Found | Promise<Found>;
  /** The usual path of the server, relative to the output. */
  readonly layout?: ServerLayout;
}

/** A folder in which file names contain a hash of the content, so the files never change. */
export interface HashedFolder {
  /** Path relative to the site's root, with a trailing slash. */
  readonly path: string;
  /** A subfolder whose files can change. */
  readonly except?: string;
}

/** One framework: its detection, its defaults, and its output. */
export interface Framework {
  /** Short name, as used in `projects create --framework`. */
  readonly id: string;
  readonly name: string;
  /**
   * npm packages that identify the framework. The first package found determines the framework's
   * version.
   */
  readonly packages: readonly string[];
  /** Config files, in the order in which the framework itself searches for them. */
  readonly configFiles: readonly string[];
  /** True if a config file is enough to identify the framework. */
  readonly configIdentifies?: boolean;
  /**
   * Returns whether a project uses this framework. Called for projects that have one of the
   * packages, or for every project if `packages` is empty.
   */
  readonly applies?: (facts: ProjectFacts) => boolean | Promise<boolean>;
  /** Build command of the framework's own program, or `undefined` if there is none. */
  readonly build: string | undefined;
  readonly dev: string | undefined;
  readonly outputDirs: readonly string[];
  /**
   * True if the servers are programs in another language. If so, scripts in package.json only help
   * to build them.
   */
  readonly isLanguage?: boolean;
  /** True if the framework's program is not an npm package. */
  readonly standalone?: boolean;
  /** True if a site without a server has a single page whose script renders every path. */
  readonly isSinglePage?: boolean;
  /**
   * Folders in the output in which, according to the framework's documentation, file names contain
   * a hash of the content.
   */
  readonly hashedFolders?: readonly HashedFolder[];
  /** URLs in links to pages, if these URLs differ from the default URLs of the files. */
  readonly urls?: PageUrls;
  /** The file that pages fetch to find out which version is live. Relative to the site's root. */
  readonly versionFile?: string;
  /** Set if servers built with the framework can be deployed. */
  readonly server?: FrameworkServer;
  /** The build variable for the ID that pages send. Each build gets a new ID. */
  readonly pageIdVariable?: string;
  /** Build variables, for example to disable telemetry. */
  readonly buildVariables?: Readonly<Record<string, string>>;
  inspect?(facts: FrameworkFacts): FrameworkFinding | Promise<FrameworkFinding>;
}
