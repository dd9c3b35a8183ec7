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

/** Whether a client's statement has waited too long for the backend. */
export const isOverdue = (client: Client, now: number): boolean =>
  now - client.since >= WAITS.backendMs;

/** Whether a client that has the backend keeps it for a transaction, and does nothing in it. */
export function idlesInTransaction(holder: Client, now: number): boolean {
  if (holder.isGone || holder.inbox.size > 0 || now - holder.since < WAITS.idleHolderMs) {
    return false;
  }
  return holder.status !== "I" || holder.isMidBatch;
}

/** Why a session was ended that kept the backend. */
export const IDLED: ErrorFields = {
  severity: "FATAL",
  sqlState: "25P03",
  message: "Terminating the connection: its transaction was idle while others waited",
  hint: "An embedded database runs one transaction at a time: end each one soon.",
};

/** Whether a client's next message may take advisory locks, or give them back. */
export function waitsForLock(message: Message, client: Client): boolean {
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

/** Why a client has waited in vain. */
export function refuseWaiting(
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
