/**
 * A lease for commits, which is valid only while its holder is the leader. A disconnected node
 * therefore cannot overwrite its successor's work.
 *
 * @module
 */
import type { Check, Draft, Outcome, RecordReader } from "./record_types.ts";

/** Thrown if another node has become the leader. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
  constructor(role: string) {
    super(`This node no longer leads "${role}": another node does`);
  }
}

export class Lease {
  /** The record of the acquired lease; `undefined` if the lease cannot be lost. */
  readonly check: Check | undefined;
  readonly #store: Pick<RecordReader, "get"> | undefined;

  private constructor(
    readonly role: string,
    held?: { readonly store: Pick<RecordReader, "get">; readonly check: Check },
  ) {
    this.check = held?.check;
    this.#store = held?.store;
  }

  /** Creates a lease that is valid while its record has this version. */
  static held(role: string, store: Pick<RecordReader, "get">, check: Check): Lease {
    return new Lease(role, { store, check });
  }

  /** Returns the lease for a node that is alone and therefore cannot lose it. */
  static ofSoleNode(role: string): Lease {
    return new Lease(role);
  }

  /**
   * Checks that the lease is valid. Must be called before work that no commit protects, such as
   * removing a file. @throws {LeaseLostError}
   */
  async requireHeld(): Promise<void> {
    if (this.check === undefined || this.#store === undefined) return;
    const { versionstamp } = await this.#store.get(this.check.key);
    if (versionstamp !== this.check.versionstamp) throw new LeaseLostError(this.role);
  }
}

/** A store or service with methods that cannot be called without a lease. */
export type Led<T> = {
  readonly [Name in keyof T]: T[Name] extends (...given: infer Given) => infer Result
    ? (...given: WithLease<Required<Given>, Given>) => Result
    : T[Name];
};

type WithLease<All extends readonly unknown[], Given extends readonly unknown[]> = All extends
  [...infer Before, Lease] ? [...Before, lease: Lease]
  : All extends [...infer Before, infer Last]
    ? "lease" extends keyof Last ? [...Before, options: Last & { readonly lease: Lease }] : Given
  : Given;

/** An operation that can be committed only under a lease. */
export interface LeasedOperation extends Draft {
  commit(lease: Lease): Promise<Outcome>;
}

/** A store in the form that code for leaders gets. All commits require the lease. */
export type LeasedStore = RecordReader & {
  atomic(): LeasedOperation;
};
