/**
 * @module Frames between the platform and a database's process. Session 0 is the database itself.
 */

/**
 * Types of frames. Numbers below 20 are sent to the process, and the others come from the process.
 */
export const DatabaseFrame = {
  /** Open the database. The payload is {@link SetupHead} as JSON. This frame comes first. */
  setup: 1,
  /**
   * Open a session. The payload contains the parameters of the startup message, as pairs in JSON.
   */
  open: 2,
  /** Bytes from a client. */
  data: 3,
  /** The client has disconnected. */
  end: 4,
  /** Write everything to disk, and then change nothing until {@link DatabaseFrame.resume}. */
  hold: 5,
  resume: 6,
  /** Some time has passed, so sessions may have waited too long. */
  tick: 7,
  /** Flush the data, and exit. */
  stop: 8,
  /** Dump the database. The payload is {@link DumpHead} as JSON. */
  dump: 9,
  /** The database is open. The payload is {@link ReadyHead} as JSON. */
  ready: 20,
  /** The database cannot be opened. The payload is {@link FailedHead} as JSON. */
  failed: 21,
  /** Bytes for a client. The first ones are its greeting. */
  output: 22,
  /** The session has ended. */
  ended: 23,
  /** The process has handled more bytes of the session. The payload is their number (u32). */
  credit: 24,
  held: 25,
  /** A part of the dump. */
  dumped: 26,
  /**
   * The dump is complete. If it failed, the payload is {@link FailedHead} as JSON, otherwise empty.
   */
  dumpEnded: 27,
} as const;

/** Maximum number of a session's bytes in flight to the process. */
export const SESSION_WINDOW = 256 * 1024;

/** Maximum size of a frame's payload, in bytes. */
export const MAX_FRAME_BYTES = 1024 * 1024;

export interface SetupHead {
  /** Absolute path of the folder with PostgreSQL's files. */
  readonly folder: string;
  /** Path of the lock that prevents a second process from using the files. */
  readonly lock: string;
  /** Path of the lock that is held during a checkpoint, and by a backup. */
  readonly checkpoints: string;
  readonly database: string;
  readonly role: string;
  /** Names of the database and the role in the files, if they differ. */
  readonly former: { readonly database: string; readonly role: string | null } | null;
  readonly memoryMb: number;
  /** Whether the log is kept until the platform moves it to the history. */
  readonly keepsLog: boolean;
}

export interface ReadyHead {
  /** For example `18.6 (PGlite 0.5.16)`. */
  readonly version: string;
  /** Restrictions that the kernel applies to the process. */
  readonly files: boolean;
  readonly network: boolean;
}

export interface DumpHead {
  readonly schemaOnly: boolean;
}

export interface FailedHead {
  readonly message: string;
  readonly sqlState: string;
}
