/** @module Authenticates a new connection as a client of a branch. */
import { setTimeout as delay } from "node:timers/promises";
import type { GuessLimiter } from "./guess_limiter.ts";
import {
  type ClientStartup,
  negotiate,
  type Opened,
  type Opening,
  provesPassword,
  readStartup,
  refuse,
} from "./handshake.ts";
import type { BranchAccess, BranchDirectory } from "./types.ts";

/** A client and the branch that it may use, or a client that wants to cancel a statement. */
export type Arrival =
  | Extract<Opening, { readonly type: "cancel" }>
  | { readonly type: "client"; readonly access: BranchAccess; readonly startup: ClientStartup };

interface SignInOptions {
  readonly directory: BranchDirectory;
  readonly guesses: GuessLimiter;
  readonly mockKey: Uint8Array;
  /** Key under which wrong passwords are counted, together with the role. */
  readonly address: string;
  /** Whether the connection stays on this machine, where no network can read the data. */
  readonly isOfThisMachine: boolean;
  readonly signal: AbortSignal;
}

const NOT_ENCRYPTED = "The connection is not encrypted, and comes from another machine";
const ENCRYPT =
  "Connect with sslmode=require. A platform without a certificate (svc serve --tls-cert) only accepts local clients, for example through an SSH tunnel.";

/**
 * Signs in a client. Reveals nothing about roles, databases or their state until the client has
 * proved that it knows the password.
 *
 * @throws {HandshakeRefused}
 * @throws {ProtocolError}
 * @throws {ConnectionEnded}
 */
export async function signIn(
  { opening, connection, isEncrypted }: Opened,
  options: SignInOptions,
): Promise<Arrival> {
  const { directory, guesses, mockKey, address, isOfThisMachine, signal } = options;
  if (opening.type === "cancel") return opening;
  if (!isEncrypted && !isOfThisMachine) throw refuse("28000", NOT_ENCRYPTED, ENCRYPT);
  const startup = readStartup(opening.parameters);
  const { role, database } = startup;
  await negotiate(connection, opening);
  const guesser = `${address} ${role}`;
  const waitMs = guesses.takeTurn(guesser);
  if (waitMs === undefined) {
    throw refuse("28000", `Too many wrong passwords for user "${role}": wait a minute`);
  }
  if (waitMs > 0) await delay(waitMs, undefined, { signal });
  const access = await directory.find(role);
  const verifier = access?.verifier;
  if (!await provesPassword(connection, { role, verifier, mockKey }) || access === undefined) {
    guesses.failed(guesser);
    throw refuse("28P01", `password authentication failed for user "${role}"`);
  }
  guesses.succeeded(guesser);
  if (database !== access.branch.database) {
    const hint = `This user's database is "${access.branch.database}".`;
    throw refuse("3D000", `database "${database}" does not exist`, hint);
  }
  if (access.refusal !== undefined) throw refuse(access.refusal.sqlState, access.refusal.message);
  return { type: "client", access, startup };
}
