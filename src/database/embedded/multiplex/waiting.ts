/**
 * @module Limits how long clients wait for the backend, and creates the errors for clients that
 * waited too long.
 */
import { waitsForLock } from "./advisory_locks.ts";
import type { Client } from "./client.ts";
import { type ErrorFields, parseText, queryText, statementOf } from "./messages.ts";
import { PLAIN, type StatementTraits, traitsOf } from "./statement_traits.ts";
import { TEMPORARY_TABLES } from "./temporaries.ts";

const WAITS = {
  /** Maximum time that a client's statement waits for the backend, in milliseconds. */
  backendMs: 30_000,
  /**
   * Maximum time that the backend waits for the next statement of a transaction while other clients
   * are waiting, in milliseconds.
   */
  idleHolderMs: 15_000,
} as const;

/** Milliseconds per unit of PostgreSQL's time settings. */
const UNITS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Parses a time setting into milliseconds. Returns 0 if it is off or invalid. */
export function milliseconds(setting: string | undefined): number {
  const [, count, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/.exec(setting ?? "") ?? [];
  return count === undefined ? 0 : Math.round(Number(count) * (UNITS[unit || "ms"] ?? 0));
}

export const LATE: ErrorFields = {
  severity: "ERROR",
  sqlState: "57014",
  message: "canceling statement due to statement timeout",
};

const LOCK_LATE: ErrorFields = {
  severity: "ERROR",
  sqlState: "55P03",
  message: "canceling statement due to lock timeout",
  hint: "An embedded database runs one transaction at a time; a server runs many.",
};

/**
 * Returns the error for a client whose statement waited longer than its own time limit or the
 * general one.
 */
export function overdue(
  client: Client,
  now: number,
  others: { readonly holder: Client | undefined; readonly clients: ReadonlyMap<number, Client> },
): ErrorFields | undefined {
  const { since, settings } = client;
  const waited = now - since;
  const isOver = (name: string) => {
    const limit = milliseconds(settings.get(name));
    return limit > 0 && waited >= limit;
  };
  if (isOver("lock_timeout")) return LOCK_LATE;
  if (isOver("statement_timeout")) return LATE;
  return waited >= WAITS.backendMs
    ? refuseWaiting(others.holder, blockerOf(client, others.clients))
    : undefined;
}

/**
 * Returns the error for a client that loses the backend because it was idle in a transaction for
 * too long.
 *
 * @param limitMs its own limit, or 0 for none
 */
export function idled(
  holder: Client,
  { now, limitMs, isAwaited }: {
    readonly now: number;
    readonly limitMs: number;
    readonly isAwaited: boolean;
  },
): ErrorFields | undefined {
  if (holder.isGone || holder.inbox.isWhole) return undefined;
  if (holder.status === "I" && !holder.isMidBatch) return undefined;
  const idleMs = now - holder.since;
  if (limitMs > 0 && idleMs >= limitMs && holder.status !== "I") return OWN_LIMIT;
  return isAwaited && idleMs >= WAITS.idleHolderMs ? IDLED : undefined;
}

const OWN_LIMIT: ErrorFields = {
  severity: "FATAL",
  sqlState: "25P03",
  message: "terminating connection due to idle-in-transaction timeout",
};

/** The error for a session that was closed because it kept the backend. */
const IDLED: ErrorFields = {
  severity: "FATAL",
  sqlState: "25P03",
  message: "Terminating the connection: its transaction was idle while others waited",
  hint: "An embedded database runs one transaction at a time: end each one soon.",
};

/** Predicts the side effects of a client's next message. */
function traitsOfNext({ inbox, statements }: Client): StatementTraits {
  const message = inbox.peek();
  switch (message?.type) {
    case "Q":
      return traitsOf(queryText(message));
    case "P":
      return traitsOf(parseText(message));
    case "B":
      return statements.get(statementOf(message)?.name ?? "")?.traits ?? PLAIN;
    default:
      return PLAIN;
  }
}

/** Another client's resource that a client's next message waits for. */
type Blocker = "an advisory lock" | "temporary tables";

/**
 * Returns whether a client's next message waits for advisory locks or for temporary tables of other
 * clients.
 */
export function blockerOf(
  client: Client,
  clients: ReadonlyMap<number, Client>,
): Blocker | undefined {
  let [hasLocks, hasTables] = [false, false];
  for (const other of clients.values()) {
    if (other === client) continue;
    hasLocks ||= other.locks.size > 0;
    hasTables ||= other.pinnedBy === TEMPORARY_TABLES;
  }
  if (!hasLocks && !hasTables) return undefined;
  const traits = traitsOfNext(client);
  if (hasLocks && waitsForLock(client, clients.values(), traits)) return "an advisory lock";
  return hasTables && traits.discards ? "temporary tables" : undefined;
}

/** Returns the error for a client that has waited too long. */
function refuseWaiting(
  holder: Client | undefined,
  blocker: Blocker | undefined,
): ErrorFields {
  const seconds = WAITS.backendMs / 1000;
  const reason = blocker !== undefined
    ? `another connection has ${blocker}`
    : holder?.pinnedBy !== undefined
    ? `another connection keeps ${holder.pinnedBy}`
    : "another connection's transaction has not ended";
  return {
    severity: "ERROR",
    sqlState: "55P03",
    message: `The statement waited ${seconds} seconds: ${reason}`,
    hint: "An embedded database runs one transaction at a time; a server runs many.",
  };
}
