/** @module The backend that clients share, and the platform's own queries to it. */
import { errorField, type Message, rowValues, writeMessage } from "./messages.ts";

/** Receives the messages that the backend sends while it processes a message. */
export type Hear = (message: Message) => void;

/** More bytes for a statement that reads from its client (`COPY … FROM STDIN`). */
export type ReadMore = () => Uint8Array;

/** A PostgreSQL backend that handles one message at a time, synchronously. */
export interface Backend {
  /**
   * A value that changes whenever the session's settings change, regardless of how they are set.
   */
  readonly settingsDigest: string;
  /** Names of the settings that were set in the session. */
  readonly settingNames: readonly string[];
  /**
   * Number of simple queries that were run for any client. Each one removes the unnamed statement.
   */
  readonly simpleQueries: number;
  run(message: Uint8Array, hear: Hear, more: ReadMore): void;
}

/** The backend rejected one of the platform's own queries. */
export class BackendError extends Error {
  override readonly name = "BackendError";
  constructor(message: string, readonly sqlState: string) {
    super(message);
  }
}

const nothing: ReadMore = () => {
  throw new BackendError("The backend is reading from a client that does not exist", "XX000");
};

/** Parameters that a server reports to its clients, but the single-user backend does not. */
const REPORTED = [
  "application_name",
  "client_encoding",
  "DateStyle",
  "default_transaction_read_only",
  "in_hot_standby",
  "integer_datetimes",
  "IntervalStyle",
  "is_superuser",
  "scram_iterations",
  "search_path",
  "server_encoding",
  "server_version",
  "standard_conforming_strings",
  "TimeZone",
] as const;

/** Reads these parameters. A single-user server leaves the last one empty. */
const READ_PARAMETERS = `SELECT ${
  REPORTED.map((name) => `pg_catalog.current_setting('${name}')`).join(", ")
}, session_user`;

/** A backend that also runs the platform's own queries. */
export class SharedBackend {
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  get settingsDigest(): string {
    return this.#backend.settingsDigest;
  }

  get settingNames(): readonly string[] {
    return this.#backend.settingNames;
  }

  get simpleQueries(): number {
    return this.#backend.simpleQueries;
  }

  /** Runs a client's message. */
  run(message: Uint8Array, hear: Hear, more: ReadMore): void {
    this.#backend.run(message, hear, more);
  }

  /** Returns the values of the parameters that clients are notified of. */
  readParameters(): Map<string, string> {
    const [values = []] = this.ask(READ_PARAMETERS);
    const names = [...REPORTED, "session_authorization"];
    return new Map(names.map((name, at) => [name, values[at] ?? ""]));
  }

  /**
   * Runs the platform's own SQL, and returns the rows of its last result.
   *
   * @throws {BackendError}
   */
  ask(sql: string): (string | null)[][] {
    let rows: (string | null)[][] = [];
    this.#runOwn(writeMessage("Q", sql), (said) => {
      if (said.type === "T") rows = [];
      if (said.type === "D") rows.push(rowValues(said));
    });
    return rows;
  }

  /**
   * Runs the platform's own messages, which need no `Sync`.
   *
   * @returns the backend's error to send to the client, if there was one
   */
  prepare(message: Uint8Array): Message | undefined {
    let failed: Message | undefined;
    this.run(message, (said) => {
      if (said.type === "E") failed = said;
    }, nothing);
    return failed;
  }

  #runOwn(message: Uint8Array, hear: Hear): void {
    let failed: BackendError | undefined;
    this.run(message, (said) => {
      if (said.type === "E") {
        failed = new BackendError(errorField(said, "M") ?? "", errorField(said, "C") ?? "XX000");
      } else hear(said);
    }, nothing);
    if (failed !== undefined) throw failed;
  }
}
