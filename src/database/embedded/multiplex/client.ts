/** @module A client's session with a shared backend, with the state to restore there. */
import { MessageReader, type TransactionStatus } from "./messages.ts";
import { startupSettings } from "./settings.ts";
import type { StatementTraits } from "./statement_traits.ts";

/** Maximum size of a message from a client, in bytes. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** A statement that a client has prepared, with its name in the backend. */
export interface PreparedStatement {
  /** Its name in the backend. */
  readonly key: string;
  /** The `Parse` message that prepares it under that name. */
  readonly parse: Uint8Array<ArrayBuffer>;
  readonly text: string;
  readonly traits: StatementTraits;
}

export class Client {
  readonly inbox = new MessageReader(MAX_MESSAGE_BYTES);
  /** Bytes in the inbox already reported to the platform as handled: parts of a large message. */
  takenAhead = 0;
  /** Settings that differ from the server's. */
  settings: Map<string, string>;
  /**
   * Prepared statements, keyed by the client's names for them. The unnamed statement has an empty
   * name.
   */
  readonly statements = new Map<string, PreparedStatement>();
  /** Statements that this transaction's portals were bound to, by portal name. */
  readonly portals = new Map<string, PreparedStatement>();
  readonly listens = new Set<string>();
  /** Parameter values last reported to the client. */
  readonly told = new Map<string, string>();
  status: TransactionStatus = "I";
  /** It has sent messages without a final `Sync`. */
  isMidBatch = false;
  /** Messages since the last `Sync` may have changed something, or need a `Sync`. */
  hasWork = false;
  /** An error has occurred, so messages before the next `Sync` are skipped. */
  isSkipping = false;
  isGone = false;
  /** Describes the state that stays in the backend after the transaction. */
  pinnedBy: string | undefined;
  /** Its temporary tables while other clients have the backend: original names by parked names. */
  readonly parked = new Map<string, string>();
  /** Its temporary tables cannot be parked, so it keeps the backend. */
  isUnparkable = false;
  /** Keys of its advisory locks that outlast a transaction. */
  locks: ReadonlySet<string> = new Set();
  /** Kinds of state to look for in the backend before another client gets it. */
  suspects = { pins: false, locks: false, channels: false };
  /**
   * When the current wait began, in milliseconds: a complete message waits for the backend, or the
   * backend waits for the client's next message.
   */
  since = 0;
  /** The settings of its startup message have not been checked yet. */
  isFresh = true;
  #names = 0;

  constructor(readonly id: number, startup: ReadonlyMap<string, string>) {
    this.settings = startupSettings(startup);
  }

  /** Returns a name that no other statement in the backend has. */
  nextKey(): string {
    return `_${this.id}_${++this.#names}`;
  }

  suspect({ pins, locks }: StatementTraits): void {
    this.suspects.pins ||= pins;
    this.suspects.locks ||= locks;
  }
}
