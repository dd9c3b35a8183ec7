/** @module The interface for PostgreSQL engines, which the platform and the gateway use. */

/** `embedded` is PGlite in its own process. `server` is a PostgreSQL server. */
const ENGINE_KINDS = ["embedded", "server"] as const;
export type EngineKind = (typeof ENGINE_KINDS)[number];

export interface BranchLimits {
  readonly memoryMb: number;
  /** Maximum number of clients at a time. */
  readonly connections: number;
}

/** A branch: a separate PostgreSQL database, with one role that owns it. */
export interface Branch {
  /** 16 lowercase hexadecimal digits that name its folder, or its database on a server. */
  readonly id: string;
  /**
   * The database's name for clients, which `current_database()` returns if the engine supports
   * that.
   */
  readonly database: string;
  /** The role that clients sign in as. */
  readonly role: string;
  readonly limits: BranchLimits;
}

/** How a copy was created: by cloning file system extents, or byte by byte. */
export type CopyMethod = "clone" | "copy";

/** Parameters of a client's startup message, such as `application_name`. */
export type StartupParameters = ReadonlyMap<string, string>;

/**
 * A client's session with the engine, after authentication: messages of the frontend/backend
 * protocol 3.0 in both directions.
 */
export interface BackendSession {
  /**
   * `ParameterStatus`, `BackendKeyData` and `ReadyForQuery`, to be passed to the client unchanged.
   */
  readonly greeting: Uint8Array<ArrayBuffer>;
  /**
   * Waits for the engine's next bytes. Returns null if the session has ended. Only one call can be
   * active at a time.
   */
  read(): Promise<Uint8Array<ArrayBuffer> | null>;
  /**
   * Sends whole messages or parts of them. Only one call can be active at a time. When the call
   * resolves, the caller may reuse the memory, and the engine can accept more.
   *
   * @throws {Error} if the session has ended
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Cancels the running statement, as a `CancelRequest` does. */
  cancel(): Promise<void>;
  /** Ends the session immediately, and rolls back its transaction. */
  close(): Promise<void>;
}

/** Message for the user when an engine no longer has a branch. */
export const GONE =
  "The database's files are missing. Run svc doctor on the platform's machine for details";

export interface DumpOptions {
  /** Definitions without rows. */
  readonly schemaOnly: boolean;
}

export interface EngineStatus {
  /** For example `18.1 (PGlite 0.5.16)`. Null while the engine can't be reached. */
  readonly version: string | null;
  readonly ready: boolean;
  /** Why the engine is not ready and what to do, or null if it is ready. */
  readonly problem: string | null;
}

/** How far back an engine can restore a branch, and how much disk space all histories use. */
export interface HistoryFacts {
  /** The earliest time, in milliseconds since 1970, or null if there is none yet. */
  readonly since: number | null;
  /** Total size on disk, in bytes. */
  readonly bytes: number;
  readonly keepMs: number;
  readonly maxBytes: number;
  /** Why the history is incomplete, or null if it is complete. */
  readonly problem: string | null;
}

/**
 * A PostgreSQL engine. Every method is idempotent: creating an existing branch and removing a
 * missing one both succeed.
 */
export interface DatabaseEngine {
  readonly kind: EngineKind;
  /** Creates an empty branch. */
  create(branch: Branch): Promise<void>;
  /**
   * Makes `target` a copy of the committed data in `source`. Sessions on the source may be delayed,
   * but are never closed.
   */
  copy(source: Branch, target: Branch): Promise<CopyMethod>;
  /**
   * Describes a branch's history, even if the branch was removed. Returns `undefined` if the engine
   * keeps no history.
   */
  history(branch: Branch): Promise<HistoryFacts | undefined>;
  /**
   * Makes `target` a copy of the data committed in `source` at a given time, in milliseconds since
   * 1970.
   */
  restore(source: Branch, target: Branch, time: number): Promise<void>;
  /**
   * Closes a branch's sessions, and removes the branch with all its data and roles. Only needs the
   * ID, because branches without a record are removed too.
   */
  remove(id: string): Promise<void>;
  /** IDs of all branches, including incomplete ones. */
  list(): Promise<readonly string[]>;
  /** Whether a branch still exists in this engine. Throws if the engine cannot be reached. */
  holds(branch: Branch): Promise<boolean>;
  /** Returns the branch's size on disk, in bytes. */
  sizeOf(branch: Branch): Promise<number>;
  /** Closes the branch's sessions, flushes its data and frees its memory. */
  stop(branch: Branch): Promise<void>;
  isRunning(branch: Branch): boolean;
  /** Opens a session, starting the branch if necessary. Throws {@link EngineError}. */
  connect(branch: Branch, startup: StartupParameters): Promise<BackendSession>;
  /** Returns SQL that recreates the branch's content when it runs in an empty branch. */
  dump(branch: Branch, options: DumpOptions): ReadableStream<Uint8Array<ArrayBuffer>>;
  status(): Promise<EngineStatus>;
  /** Stops all branches. */
  close(): Promise<void>;
}

/** The engine cannot do what was requested. The message is meant for the user. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  constructor(
    message: string,
    /**
     * Five characters, from PostgreSQL: `53300` too many connections, `57P03` cannot connect now.
     */
    readonly sqlState: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
