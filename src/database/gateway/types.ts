/** @module Dependencies and limits of the gateway. */
import type { ScramVerifier } from "../scram/verifier.ts";
import type { Branch, DatabaseEngine } from "../types.ts";

/** The branch that a role belongs to, and how to check the role's password. */
export interface BranchAccess {
  readonly branch: Branch;
  readonly engine: DatabaseEngine;
  readonly verifier: ScramVerifier;
  /** Why clients are rejected after they have signed in. */
  readonly refusal?: Refusal;
}

export interface Refusal {
  /** Five characters, such as `57P03`. */
  readonly sqlState: string;
  readonly message: string;
}

export interface BranchDirectory {
  /** Finds the branch of a role. Returns `undefined` if there is none. */
  find(role: string): Promise<BranchAccess | undefined>;
}

export interface GatewayLimits {
  /** Maximum number of connections at a time, signed in or not. */
  readonly maxConnections: number;
  /** Maximum number of connections from one address. Exempt addresses are not counted. */
  readonly maxPerAddress: number;
  /** Time from the connection to the end of authentication, in milliseconds. */
  readonly startupMs: number;
  /** Maximum number of embedded branches that run at a time. */
  readonly maxRunning: number;
  /** Time without a session after which a branch is stopped, in milliseconds. */
  readonly idleMs: number;
  /** Time for statements to finish when the gateway closes, in milliseconds. */
  readonly drainMs: number;
}

export const DEFAULT_LIMITS: GatewayLimits = {
  maxConnections: 1000,
  maxPerAddress: 256,
  startupMs: 15_000,
  maxRunning: 10,
  idleMs: 5 * 60_000,
  drainMs: 5_000,
};
