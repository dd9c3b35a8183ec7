/** @module Types for preparing a server. */
import type { ComputeLayer, Engine, FoundServer, Manifest } from "../../manifest/mod.ts";
import type { Listing } from "../list_files.ts";
import type { OutputContent } from "../hash_files.ts";

/** Server settings from `svc.toml` and from the project's settings on the platform. */
export interface ServerSettings {
  /** Whether to deploy the output as a static site, even if it looks like server code. */
  readonly isStatic?: boolean;
  readonly runtime?: Engine;
  readonly server?: {
    /** Shell command that starts the server. */
    readonly command?: string;
    readonly startTimeoutMs?: number;
    readonly memoryMb?: number;
    readonly healthPath?: string;
  };
  /** Size of the folder for temporary files, in MiB. */
  readonly tmpMb?: number;
  /** The version from the project's settings on the platform. */
  readonly nodeVersion?: string;
}

export interface ServerFacts {
  /** Absolute path of the project's folder. */
  readonly projectRoot: string;
  /** Absolute path of the folder with the installed packages: the project's or the workspace's. */
  readonly workspaceRoot: string;
  /** Whether a lock file shows that the installed packages match `package.json`. */
  readonly hasLockFile: boolean;
  readonly listing: Listing;
  readonly manifest: Manifest;
  /** The detected server, or `undefined` if the output has its own manifest. */
  readonly found: FoundServer | undefined;
  readonly settings: ServerSettings;
}

/** A server to deploy. */
export interface PreparedServer {
  readonly layer: ComputeLayer;
  readonly report: ServerReport;
  /** Files that are deployed in addition to the listed ones, or instead of them. */
  readonly contents: readonly OutputContent[];
  /** Paths of listed files that are not deployed. */
  readonly dropped: ReadonlySet<string>;
  /** Relative targets of symbolic links, keyed by the links' paths in the deployment. */
  readonly links: Readonly<Record<string, string>>;
}

/** The engine of a server, with the reason for it and its packages. */
export interface ServerReport {
  readonly layer: string;
  readonly entry: string;
  readonly engine: Engine;
  /** The reason, as a clause. */
  readonly reason: string;
  readonly nodeVersion?: string;
  /** Packages that are deployed as files, for Node. */
  readonly packages?: { readonly count: number; readonly files: number; readonly bytes: number };
}
