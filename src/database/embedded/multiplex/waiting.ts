/**
 * How long clients wait for the backend, and what they are told then.
 *
 * @module
 */
import type { Client } from "./client.ts";
import { type ErrorFields, type Message, parseText, queryText, statementOf } from "./messages.ts";
import { traitsOf } from "./statement_traits.ts";

export const WAITS = {
  /** A client's statement for the backend, in milliseconds. */
  backendMs: 30_000,
  /** The backend for the next statement of a transaction, while others wait, in milliseconds. */
  idleHolderMs: 15_000,
} as const;

/** Milliseconds in the units of PostgreSQL's settings of time. */
const UNITS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A setting of time in milliseconds; 0 where it is off, or cannot be read. */
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
 * Why a client's statement has waited too long, if it has: by its own settings,
 * or by what everybody may wait.
 */
export function overdue(
  client: Client,
  now: number,
  others: { readonly holder: Client | undefined; readonly clients: Iterable<Client> },
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
    ? refuseWaiting(others.holder, lockHolder(client, others.clients))
    : undefined;
}

/**
 * Why a client that has the backend loses it, where it keeps it for a
 * transaction and does nothing in it for too long.
 *
 * @param limitMs its own limit; 0 for none
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

/** Why a session was ended that kept the backend. */
const IDLED: ErrorFields = {
  severity: "FATAL",
  sqlState: "25P03",
  message: "Terminating the connection: its transaction was idle while others waited",
  hint: "An embedded database runs one transaction at a time: end each one soon.",
};

/** Whether a client's next message may take advisory locks, or give them back. */
function waitsForLock(message: Message, client: Client): boolean {
  switch (message.type) {
    case "Q":
      return traitsOf(queryText(message)).locks;
    case "P":
      return traitsOf(parseText(message)).locks;
    case "B":
      return client.statements.get(statementOf(message)?.name ?? "")?.traits.locks ?? false;
    default:
      return false;
  }
}

/** Another client whose advisory locks this one's next message has to wait for. */
export function lockHolder(client: Client, clients: Iterable<Client>): Client | undefined {
  const holder = [...clients].find((other) => other !== client && other.hasLocks);
  if (holder === undefined) return undefined;
  const message = client.inbox.peek();
  return message !== undefined && waitsForLock(message, client) ? holder : undefined;
}

/** Why a client has waited in vain. */
function refuseWaiting(
  holder: Client | undefined,
  lockHolder: Client | undefined,
): ErrorFields {
  const seconds = WAITS.backendMs / 1000;
  const reason = lockHolder !== undefined
    ? "another connection holds an advisory lock"
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
