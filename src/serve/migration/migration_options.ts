/** Types for a move. @module */
import type { Environment } from "../../lib/network_variables.ts";

/** The source and target for one kind of data. Both default to the data directory. */
export interface Ends {
  readonly from?: string;
  readonly to?: string;
}

export interface Amount {
  readonly files: number;
  readonly bytes: number;
}

/** Interrupts a move and receives its progress. */
export interface Watch {
  readonly signal: AbortSignal;
  onProgress(done: Amount): void;
}

export interface MigrationOptions {
  /** The platform's data directory. The platform must be stopped. */
  readonly dataDir: string;
  /**
   * Records can be moved between a file and `postgres://`, and files between a folder and `s3://`.
   */
  readonly records?: Ends;
  readonly files?: Ends;
  /** Location of the records if they are not moved; by default, in the data directory. */
  readonly kv?: string;
  /** File with the keys that encrypt secrets; by default, in the data directory. */
  readonly keysFile?: string;
  /** Whether to check everything without changing it. */
  readonly dryRun?: boolean;
  /** Version of this program. */
  readonly version: string;
  /** Environment variables with passwords and access keys. */
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Called before each kind of data is moved, with the amount to move. */
  onPart(part: "records" | "files", total: Amount): void;
  onProgress(done: Amount): void;
  /** Called with messages for the operator. */
  onTrouble(message: string): void;
}

export interface RecordsReport {
  readonly count: number;
  /** Number of records stored in this run. */
  readonly copied: number;
  /** SHA-256 of all keys and values, read from both stores. */
  readonly sha256: string;
}

export interface FilesReport {
  /** Number of blobs in the source, all of which are in the target. */
  readonly blobs: number;
  /** Total size of the blobs. */
  readonly bytes: number;
  /** Number of blobs that were not in the target before. */
  readonly copied: number;
}

export interface MigrationReport {
  readonly records?: RecordsReport;
  readonly files?: FilesReport;
  /** The amount to move, for a dry run. */
  readonly planned?: { readonly records?: Amount; readonly files?: Amount };
  /** Whether this continues an interrupted move. */
  readonly resumed: boolean;
  /** Data that remains in this node's data directory. */
  readonly stays: readonly { readonly path: string; readonly what: string }[];
}
