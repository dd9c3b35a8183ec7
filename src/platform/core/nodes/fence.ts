/**
 * Writes that count only while their writer leads: each commit carries a check of the
 * lease, so that a node that was cut off cannot change what its successor does.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Role } from "./node_record.ts";
import {
  type Changes,
  type Check,
  Lease,
  type Outcome,
  type RecordStore,
  StoreLayer,
} from "../../../store/mod.ts";

/** One round of a leader's work. */
interface Round {
  readonly kv: RecordStore;
  readonly role: Role;
  /** The lease as it was taken. */
  readonly lease: Check;
  isOver: boolean;
}

const rounds = new AsyncLocalStorage<Round | undefined>();

/** Runs a round: all that it stores by a fenced store is checked against the lease. */
export async function runFenced<T>(
  { kv, role, lease }: Pick<Round, "kv" | "role" | "lease">,
  work: () => Promise<T>,
): Promise<T> {
  const round: Round = { kv, role, lease, isOver: false };
  try {
    return await rounds.run(round, work);
  } finally {
    // Work that was begun in the round and outlives it, such as a timer, is not the leader's.
    round.isOver = true;
  }
}

/** Runs what serves others as well, such as a queue that the round only woke. */
export function runUnfenced<T>(work: () => T): T {
  return rounds.run(undefined, work);
}

function roundNow(): Round | undefined {
  const round = rounds.getStore();
  return round?.isOver === true ? undefined : round;
}

/**
 * Ends a round whose lease was lost, before it does what no commit guards: removes a file,
 * or asks another server for something. Does nothing outside of a round.
 *
 * @throws {LeaseLostError}
 */
export async function requireLease(): Promise<void> {
  const round = roundNow();
  if (round !== undefined) await requireHeld(round);
}

async function requireHeld({ kv, role, lease }: Round): Promise<void> {
  await Lease.held(role, kv, lease).requireHeld();
}

/**
 * The same store; what is committed in a round of `runFenced()` is refused once the lease
 * was lost.
 */
export class FencedStore extends StoreLayer {
  /** @throws {LeaseLostError} */
  override write(changes: Changes): Promise<Outcome> {
    const round = roundNow();
    if (round === undefined) return this.under.write(changes);
    return this.under.commit(changes, Lease.held(round.role, round.kv, round.lease));
  }
}
