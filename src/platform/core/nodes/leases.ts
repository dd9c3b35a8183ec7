/**
 * Leases for roles, each held by one node at a time. A node holds a lease as long as the node's
 * pulse is stored, and the pulse expires according to the database's clock. Taking over a lease
 * changes its record, so every later check by the earlier holder fails.
 *
 * @module
 */
import { keys, readRecord } from "../store/mod.ts";
import { leaseRecord, type Role, ROLES } from "./node_record.ts";
import { Lease, LeaseLostError, type RecordStore } from "../../../store/mod.ts";

/** How long a pulse is stored, and how often it is renewed, in milliseconds. */
export const PULSE_MS = 10_000;
export const PULSE_EVERY_MS = 3000;

interface LeasesOptions {
  readonly kv: RecordStore;
  readonly id: string;
  readonly instance: string;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
}

export class Leases {
  /** The versions of the held leases. */
  readonly #held = new Map<Role, string>();
  readonly #gained = new Map<Role, (() => void)[]>();
  /** The time until which the pulse is certain to be stored. */
  #until = -Infinity;

  readonly #options: LeasesOptions;

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  leads(role: Role): boolean {
    return this.#held.has(role) && this.#options.monotonic() < this.#until;
  }

  get roles(): readonly Role[] {
    return ROLES.filter((role) => this.leads(role));
  }

  /**
   * Calls `begin` now if this node has the role, and whenever this node gains it, even after a late
   * pulse.
   */
  onGained(role: Role, begin: () => void): void {
    this.#gained.set(role, [...this.#gained.get(role) ?? [], begin]);
    if (this.leads(role)) begin();
  }

  async during<T>(role: Role, work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
    const versionstamp = this.#held.get(role);
    if (versionstamp === undefined || !this.leads(role)) return undefined;
    const { kv } = this.#options;
    try {
      return await work(Lease.held(role, kv, { key: keys.lease(role), versionstamp }));
    } catch (error) {
      if (error instanceof LeaseLostError) this.#lose(role, versionstamp);
      throw error;
    }
  }

  /** Renews held leases, and takes free ones. */
  async round(): Promise<void> {
    const { kv, instance, monotonic } = this.#options;
    const asked = monotonic();
    await kv.set(keys.pulse(instance), true, { expireIn: PULSE_MS });
    // Work that arrived after the pulse had expired did not find a leader, so nothing else will
    // start it.
    const hasLapsed = monotonic() >= this.#until;
    this.#until = asked + PULSE_MS;
    for (const role of ROLES) await this.#look(role, hasLapsed);
  }

  async release(): Promise<void> {
    this.#until = -Infinity;
    this.#held.clear();
    await this.#options.kv.delete(keys.pulse(this.#options.instance));
  }

  async #look(role: Role, hasLapsed: boolean): Promise<void> {
    const { kv, id, instance } = this.#options;
    const key = keys.lease(role);
    const lease = await readRecord(kv, key, leaseRecord);
    if (lease?.value.instance === instance) {
      return this.#keep(role, lease.versionstamp, hasLapsed);
    }
    this.#held.delete(role);
    const operation = kv.atomic().check({ key, versionstamp: lease?.versionstamp ?? null });
    // The previous process of the same node must have exited, because the node's data directory is
    // unlocked.
    if (lease !== undefined && lease.value.node !== id) {
      const pulse = keys.pulse(lease.value.instance);
      if ((await kv.get(pulse)).versionstamp !== null) return;
      operation.check({ key: pulse, versionstamp: null });
    }
    const epoch = (lease?.value.epoch ?? 0) + 1;
    const taken = await operation.set(key, { node: id, instance, epoch }).commit();
    if (taken.ok) this.#keep(role, taken.versionstamp, true);
  }

  #keep(role: Role, versionstamp: string, hasLapsed: boolean): void {
    const isNew = this.#held.get(role) !== versionstamp;
    this.#held.set(role, versionstamp);
    if (!isNew && !hasLapsed) return;
    for (const begin of this.#gained.get(role) ?? []) begin();
  }

  #lose(role: Role, versionstamp: string): void {
    if (this.#held.get(role) === versionstamp) this.#held.delete(role);
  }
}
