/**
 * What preparing a server asks for and gives.
 *
 * @module
 */
import type { ComputeLayer, Engine, FoundServer, Manifest } from "../../manifest/mod.ts";
import type { Listing } from "../list_files.ts";
import type { OutputContent } from "../hash_files.ts";

/** What `svc.toml`, and the platform's project, say of servers. */
export interface ServerSettings {
  /** Whether the output is a static site, whatever it looks like. */
  readonly isStatic?: boolean;
  readonly runtime?: Engine;
  readonly server?: {
    /** Shell command that starts the server. */
    readonly command?: string;
    readonly startTimeoutMs?: number;
    readonly healthPath?: string;
  };
  /** MiB. */
  readonly tmpMb?: number;
  /** The platform's setting for the project. */
  readonly nodeVersion?: string;
}

export interface ServerFacts {
  /** Absolute path of the project's folder. */
  readonly projectRoot: string;
  /** Absolute path of the folder that its packages are installed in: its own, or its workspace's. */
  readonly workspaceRoot: string;
  /** Whether a lock file shows that what is installed is what `package.json` asks for. */
  readonly hasLockFile: boolean;
  readonly listing: Listing;
  readonly manifest: Manifest;
  /** What the framework's file found; `undefined` where the output has a manifest of its own. */
  readonly found: FoundServer | undefined;
  readonly settings: ServerSettings;
}

/** One server as it will be deployed. */
export interface PreparedServer {
  readonly layer: ComputeLayer;
  readonly report: ServerReport;
  /** What is deployed besides, and in place of, the listed files. */
  readonly contents: readonly OutputContent[];
  /** Paths of listed files that are not deployed. */
  readonly dropped: ReadonlySet<string>;
  /** Symbolic links by their paths in the deployment, with their relative targets. */
  readonly links: Readonly<Record<string, string>>;
}

/** How a server runs, for people and programs. */
export interface ServerReport {
  /** Name of its layer. */
  readonly layer: string;
  readonly entry: string;
  readonly engine: Engine;
  /** Why, as a clause. */
  readonly reason: string;
  readonly nodeVersion?: string;
  /** Packages that are deployed as files, for Node. */
  readonly packages?: { readonly count: number; readonly files: number; readonly bytes: number };
}
