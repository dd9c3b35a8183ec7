/** @module A client's session with a shared backend, with the state to restore there. */
import { MessageReader, type TransactionStatus } from "./messages.ts";
import { startupSettings } from "./settings.ts";
import type { StatementTraits } from "./statement_traits.ts";

/** Maximum size of a message from a client, in bytes. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** A prepared statement of a client. */
export interface PreparedStatement {
  /** The statement's name in the backend. */
  readonly key: string;
  /** The `Parse` message that prepares the statement under that name. */
  readonly parse: Uint8Array<ArrayBuffer>;
  readonly text: string;
  readonly traits: StatementTraits;
}

export class Client {
  readonly inbox = new MessageReader(MAX_MESSAGE_BYTES);
  /**
   * Number of bytes still in the inbox that were already reported to the platform as handled. They
   * are parts of a large message.
   */
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
  /** True if the client has sent messages without a final `Sync`. */
  isMidBatch = false;
  /** True if messages since the last `Sync` may have changed something, or need a `Sync`. */
  hasWork = false;
  /** True if an error has occurred, so messages before the next `Sync` are skipped. */
  isSkipping = false;
  isGone = false;
  /** Describes the state that stays in the backend after the transaction. */
  pinnedBy: string | undefined;
  /**
   * The client's temporary tables while other clients have the backend: original names by parked
   * names.
   */
  readonly parked = new Map<string, string>();
  /** True if the client's temporary tables cannot be parked, so the client keeps the backend. */
  isUnparkable = false;
  /** Keys of the client's advisory locks that outlast a transaction. */
  locks: ReadonlySet<string> = new Set();
  /** Kinds of state to look for in the backend before another client gets it. */
  suspects = { pins: false, locks: false, channels: false };
  /**
   * When the current wait began, in milliseconds. Either a complete message is waiting for the
   * backend, or the backend is waiting for the client's next message.
   */
  since = 0;
  /** True until the settings in the client's startup message have been checked. */
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
