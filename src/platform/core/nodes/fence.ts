/**
 * Writes that count only while their writer leads: each commit carries a check of the
 * lease, so that a node that was cut off cannot change what its successor does.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Role } from "./node_record.ts";

/** Another node leads by now. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
  constructor(role: Role) {
    super(`This node does not lead "${role}" any more: another one does`);
  }
}

/** One round of a leader's work. */
interface Round {
  readonly kv: Deno.Kv;
  readonly role: Role;
  /** The lease as it was taken. */
  readonly lease: Deno.AtomicCheck;
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
  const { versionstamp } = await kv.get(lease.key);
  if (versionstamp !== lease.versionstamp) throw new LeaseLostError(role);
}

function fence(kv: Deno.Kv, round: Round): Deno.AtomicOperation {
  const operation = kv.atomic().check(round.lease);
  const fenced: Deno.AtomicOperation = new Proxy(operation, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== "function") return own;
      if (name !== "commit") {
        return (...given: readonly unknown[]) => {
          own.apply(target, given);
          return fenced;
        };
      }
      return async () => {
        const committed = await target.commit();
        if (committed.ok) return committed;
        await requireHeld(round);
        return committed;
      };
    },
  });
  return fenced;
}

/**
 * The same store; what is committed in a round of `runFenced()` is refused once the lease
 * was lost.
 *
 * @throws {LeaseLostError} from commits.
 */
export function fencedKv(kv: Deno.Kv): Deno.Kv {
  const atomic = () => {
    const round = roundNow();
    return round === undefined ? kv.atomic() : fence(kv, round);
  };
  const changed: Readonly<Record<string, unknown>> = {
    atomic,
    set: (...given: Parameters<Deno.Kv["set"]>) => atomic().set(...given).commit(),
    delete: async (key: Deno.KvKey) => void await atomic().delete(key).commit(),
  };
  return new Proxy(kv, {
    get(target, name) {
      if (typeof name === "string" && Object.hasOwn(changed, name)) return changed[name];
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}
