/** Classifies PostgreSQL errors: which ones to retry, and what the others mean. @module */
import { UnavailableError } from "../lib/unavailable_error.ts";

/** How long clients should wait before they try again, in seconds. */
const RETRY_SECONDS = 5;

/** Thrown if the store cannot be reached. A change in progress may or may not have been stored. */
export class StoreUnavailableError extends UnavailableError {
  override readonly name = "StoreUnavailableError";

  constructor(reason: string, options?: ErrorOptions) {
    super(`Cannot reach the key-value store: ${reason}. Try again`, {
      retryAfter: RETRY_SECONDS,
      cause: options?.cause,
    });
  }
}

/** Thrown if an attempt takes too long. The attempt's connection is dropped. */
export class AttemptLateError extends Error {
  override readonly name = "AttemptLateError";

  constructor(milliseconds: number) {
    super(`no response for ${milliseconds / 1000} s`);
  }
}

/** Thrown if the server lacks data that this node has already read or stored. */
export class StaleServerError extends Error {
  override readonly name = "StaleServerError";

  constructor() {
    super("the server that responds is behind: it is a former primary, or it has lost commits");
  }
}

/** Codes for failed or lost connections. Deno 2.7 may write to a closed connection (EBADF). */
const LOST: ReadonlySet<string> = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "CONNECT_TIMEOUT",
  "EAI_AGAIN",
  "EBADF",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTCONN",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/**
 * SQL states that are temporary: connection errors, a server that is starting or stopping, too many
 * connections, conflicting transactions, and a server that has become a standby.
 */
const PASSING = /^(?:08...|57P0.|53300|40...|25006)$/;

/** SQL state of a server that is a standby and therefore read-only. */
const READ_ONLY = "25006";

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/**
 * SQL state for a database that does not exist. A standby that is behind may not have a new
 * database yet.
 */
const NO_DATABASE = "3D000";

/** Whether a connection failed or was lost. */
export function isConnectionLost(error: unknown): boolean {
  return LOST.has(codeOf(error));
}

/** Whether the node itself has given up on a connection. */
const isGivenUp = (error: unknown): boolean =>
  error instanceof AttemptLateError || error instanceof StaleServerError;

/** Whether another attempt could succeed, perhaps on a different server. */
export function isPassing(error: unknown, servers = 1): boolean {
  const code = codeOf(error);
  if (code === NO_DATABASE) return servers > 1;
  return isGivenUp(error) || isConnectionLost(error) || PASSING.test(code);
}

/** Codes for broken connections, on which the library may wait forever. */
const BROKEN: ReadonlySet<string> = new Set(["CONNECTION_CLOSED", "EBADF", "ECONNRESET", "EPIPE"]);

/** Whether an error shows that the existing connections can no longer be used. */
export function isConnectionSpoilt(error: unknown): boolean {
  const code = codeOf(error);
  return isGivenUp(error) || code === READ_ONLY || BROKEN.has(code);
}

/** Messages for errors, because the library's own messages contain the wrong host. */
const WORDS: Readonly<Record<string, string>> = {
  CONNECTION_CLOSED: "the server closed the connection",
  CONNECTION_DESTROYED: "no server accepts writes",
  CONNECTION_ENDED: "the store is closed",
  CONNECT_TIMEOUT: "no server responded in time",
};

/** Describes an error for the operator, without the parameters of its query. */
export function describeFault(error: unknown): string {
  const code = codeOf(error);
  const words = WORDS[code];
  if (words !== undefined) return words;
  if (code === "28P01" || code === "28000") {
    return `${(error as Error).message}. Set the password in SVC_KV_PASSWORD or PGPASSWORD`;
  }
  if (!(error instanceof Error)) return String(error);
  if (code === NO_DATABASE) return `${error.message}. Create the database first`;
  return error.message === "" ? code : error.message;
}
