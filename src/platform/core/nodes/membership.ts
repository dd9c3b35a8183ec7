/**
 * Makes this node one of several: reports that it is alive, tracks the others, and holds leases.
 *
 * @module
 */
import type { Clock } from "../../../lib/clock.ts";
import { type Rounds, startRounds } from "../../../lib/rounds.ts";
import { keys, readAll, readRecord, StoreUnavailableError } from "../store/mod.ts";
import { Leases, PULSE_EVERY_MS } from "./leases.ts";
import type { NodeIdentity } from "./node_identity.ts";
import {
  type KnownNodeRecord,
  knownNodeRecord,
  leaseRecord,
  type NodeRecord,
  nodeRecord,
  type NodeView,
  type Role,
} from "./node_record.ts";
import type { Nodes } from "./nodes.ts";
import type { Lease, RecordStore } from "../../../store/mod.ts";

/**
 * How long a node is listed after its last heartbeat, and the interval between heartbeats, in
 * milliseconds.
 */
const LISTED_MS = 15_000;
const LISTED_EVERY_MS = 5000;
/**
 * How long a node is listed as missing after it was last seen, and how often that is recorded, in
 * milliseconds.
 */
const KNOWN_MS = 24 * 60 * 60 * 1000;
const KNOWN_EVERY_MS = 60 * 60 * 1000;

export class NodeIdInUseError extends Error {
  override readonly name = "NodeIdInUseError";
}

interface MembershipOptions extends NodeIdentity {
  readonly kv: RecordStore;
  readonly instance: string;
  readonly version: string;
  readonly addresses: readonly string[];
  /** The URL at which other nodes reach this node. */
  readonly url: string;
  readonly now: Clock;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
  /** Returns how far this node lags behind the changes that other nodes make, in milliseconds. */
  lagMs(): number;
  onTrouble(message: string): void;
}

function inUse({ id, addresses }: Pick<NodeRecord, "id" | "addresses">): NodeIdInUseError {
  return new NodeIdInUseError(
    `Cannot start as node "${id}": a node with another data directory uses that name at ${
      addresses.join(", ")
    }. Set a unique name with --node-id. The name of a stopped node is free after 15 seconds`,
  );
}

export class Membership implements Nodes {
  readonly isShared = true;
  readonly id: string;
  readonly instance: string;
  readonly #leases: Leases;
  readonly #since: number;
  #version: string | undefined;
  #rounds: Rounds[] = [];
  #deathWatchers: (() => void)[] = [];
  #alive: ReadonlySet<string> = new Set();

  readonly #options: MembershipOptions;

  private constructor(options: MembershipOptions) {
    this.#options = options;
    this.id = options.id;
    this.instance = options.instance;
    this.#since = options.now();
    this.#leases = new Leases(options);
  }

  /** @throws {NodeIdInUseError} if another node has the same name. */
  static async join(options: MembershipOptions): Promise<Membership> {
    const membership = new Membership(options);
    await membership.#announce();
    await membership.#noteKnown();
    await membership.pulse();
    return membership;
  }

  start(): void {
    const every = (everyMs: number, run: () => Promise<void>) =>
      startRounds({ firstMs: everyMs, everyMs, run, onError: (error) => this.#report(error) });
    this.#rounds = [
      every(LISTED_EVERY_MS, () => this.#announce()),
      every(KNOWN_EVERY_MS, () => this.#noteKnown()),
      every(PULSE_EVERY_MS, () => this.pulse()),
    ];
  }

  /** Sends a heartbeat, takes free leases, and looks for dead nodes. */
  async pulse(): Promise<void> {
    await this.#leases.round();
    await this.#watchDeaths();
  }

  leads(role: Role): boolean {
    return this.#leases.leads(role);
  }

  during<T>(role: Role, work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
    return this.#leases.during(role, work);
  }

  onGained(role: Role, begin: () => void): void {
    this.#leases.onGained(role, begin);
  }

  onDeath(look: () => void): void {
    this.#deathWatchers.push(look);
  }

  async isAlive(instance: string): Promise<boolean> {
    if (instance === this.instance) return true;
    return (await this.#options.kv.get(keys.pulse(instance))).versionstamp !== null;
  }

  count(): number {
    return Math.max(1, this.#alive.size);
  }

  async list(): Promise<readonly NodeView[]> {
    const { kv } = this.#options;
    const leases = await Array.fromAsync(readAll(kv, keys.leases(), leaseRecord));
    const nodes = await Array.fromAsync(readAll(kv, keys.nodes(), nodeRecord));
    return nodes.map(({ value: node }) => ({
      ...node,
      roles: leases.filter(({ value }) => value.instance === node.instance)
        .map(({ key }) => String(key[1]) as Role),
    }));
  }

  async lost(): Promise<readonly KnownNodeRecord[]> {
    const { kv } = this.#options;
    const listed = new Set<unknown>();
    for await (const { key } of kv.list({ prefix: keys.nodes() })) listed.add(key[1]);
    const known = await Array.fromAsync(readAll(kv, keys.knownNodes(), knownNodeRecord));
    return known.map(({ value }) => value).filter(({ id }) => !listed.has(id));
  }

  async close(): Promise<void> {
    for (const each of this.#rounds) await each.close();
    const { kv, id } = this.#options;
    try {
      await this.#leases.release();
      const operation = kv.atomic().check({
        key: keys.node(id),
        versionstamp: this.#version ?? null,
      });
      await operation.delete(keys.node(id)).commit();
    } catch (error) {
      // The pulse and the record expire anyway.
      this.#report(error);
    }
  }

  /**
   * Stores this node's record. The stored one may have expired, or may belong to an earlier
   * process.
   */
  async #announce(): Promise<void> {
    const { kv, id, home, instance, version, addresses, url, lagMs } = this.#options;
    const key = keys.node(id);
    const known = await readRecord(kv, key, nodeRecord);
    const isOther = known !== undefined && known.value.home !== home;
    // A later process on the same data directory has replaced this one.
    const isReplaced = this.#version !== undefined && known !== undefined &&
      known.value.instance !== instance;
    if (isOther || isReplaced) throw inUse(known.value);
    const record = { id, home, instance, version, url, since: this.#since, lagMs: lagMs() };
    const stored = await kv.atomic()
      .check({ key, versionstamp: known?.versionstamp ?? null })
      .set(key, { ...record, addresses: [...addresses] }, { expireIn: LISTED_MS })
      .commit();
    if (stored.ok) this.#version = stored.versionstamp;
    else if (this.#version === undefined) await this.#announce();
  }

  /**
   * Records that this node was active. For a day, other nodes report this node as missing if they
   * need its response while it is down.
   */
  async #noteKnown(): Promise<void> {
    const { kv, id, now } = this.#options;
    await kv.set(keys.knownNode(id), { id, lastHeard: now() }, { expireIn: KNOWN_MS });
  }

  async #watchDeaths(): Promise<void> {
    const alive = new Set<string>();
    for await (const { key } of this.#options.kv.list({ prefix: keys.pulses() })) {
      alive.add(String(key[1]));
    }
    const isFewer = [...this.#alive].some((instance) => !alive.has(instance));
    this.#alive = alive;
    if (isFewer) { for (const look of this.#deathWatchers) look(); }
  }

  #report(error: unknown): void {
    // An unreachable store is not reported here, because all other code that uses the store notices
    // it.
    if (error instanceof StoreUnavailableError) return;
    const reason = error instanceof NodeIdInUseError ? error.message : String(error);
    this.#options.onTrouble(`This node cannot renew its membership: ${reason}`);
  }
}
