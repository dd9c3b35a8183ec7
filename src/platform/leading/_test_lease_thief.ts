/**
 * A leader that loses its lease to another node during a round, before one of its reads or commits.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Nodes, Role } from "../core/nodes/mod.ts";
import { Leases } from "../core/nodes/leases.ts";
import { keys } from "../core/store/mod.ts";
import {
  type Changes,
  DenoStore,
  type KeyPart,
  LeaseLostError,
  type Listing,
  type ListOptions,
  type ListSelector,
  type MaybeEntry,
  type Outcome,
  type RecordKey,
  type RecordStore,
  StoreLayer,
} from "../../store/mod.ts";

/** A node, as its tasks see it. */
export interface LeaderNode {
  readonly kv: RecordStore;
  readonly nodes: Nodes;
}

/** A task that one node runs for all nodes, with a store. */
export interface Scene extends AsyncDisposable {
  /** Opens the task on a node. Each call of the returned function runs a round. */
  open(node: LeaderNode): Promise<() => Promise<unknown>>;
  /** Returns the outcome, from any node. */
  outcome(): Promise<unknown>;
  /** Effects outside the store, such as removed files. */
  readonly done: readonly string[];
  /** Returns whether a record belongs to a process, regardless of which node leads. */
  isOwn?(key: RecordKey): boolean;
}

export interface Holder {
  readonly role: Role;
  /**
   * Whether rounds are so slow that the test tries only one of the possible next leaders for each
   * interruption.
   */
  readonly isSlow?: boolean;
  prepare(kv: RecordStore): Promise<Scene>;
}

/** The results of a round and of the next round. */
export interface Told {
  /** The number of reads and commits in the round. */
  readonly moments: number;
  /** Writes and actions that the leader carried out without its lease. */
  readonly stale: readonly string[];
  readonly outcome: unknown;
}

type Moment = () => Promise<void>;

/** How long to wait for a round's parallel work, in milliseconds. */
export const SKEW_MS = 2;
const SETTLE_MS = 3 * SKEW_MS;

/** Wraps a store, so `before` runs before each read and commit. */
class WatchedStore extends StoreLayer {
  readonly #before: Moment;

  constructor(under: RecordStore, before: Moment) {
    super(under);
    this.#before = before;
  }

  override async get<T = unknown>(key: RecordKey): Promise<MaybeEntry<T>> {
    await this.#before();
    return await super.get<T>(key);
  }

  override async getMany<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: RecordKey }],
  ): Promise<{ [K in keyof T]: MaybeEntry<T[K]> }> {
    await this.#before();
    return await super.getMany<T>(keys);
  }

  override async *list<T = unknown>(selector: ListSelector, options?: ListOptions): Listing<T> {
    await this.#before();
    for await (const entry of super.list<T>(selector, options)) yield entry;
  }

  override async write(changes: Changes): Promise<Outcome> {
    await this.#before();
    return await super.write(changes);
  }
}

const LEASES: ReadonlySet<KeyPart> = new Set([
  keys.leases()[0]!,
  keys.pulses()[0]!,
]);

/** Reads the versions of all records except leases. */
async function versionsOf(kv: RecordStore): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  for await (const { key, versionstamp } of kv.list({ prefix: [] })) {
    if (!LEASES.has(key[0]!)) versions.set(JSON.stringify(key), versionstamp);
  }
  return versions;
}

function nodesOf(id: string, leases: Leases, alive: ReadonlySet<string>): Nodes {
  return {
    id,
    instance: id,
    isShared: true,
    leads: (role) => leases.leads(role),
    during: (role, work) => leases.during(role, work),
    onGained: (role, begin) => leases.onGained(role, begin),
    onDeath: () => {},
    isAlive: (instance) => Promise.resolve(alive.has(instance)),
    count: () => 2,
    list: () => Promise.resolve([]),
    lost: () => Promise.resolve([]),
  };
}

/**
 * Runs a leader's round, and takes the lease before the nth read or commit in the round. After
 * that, makes the next leader run a round. The next leader is the thief, or the first node once it
 * has regained its lease.
 */
export async function stealAt(
  holder: Holder,
  { moment, next }: { readonly moment: number; readonly next: "thief" | "first" },
): Promise<Told> {
  const kv = await DenoStore.open(":memory:");
  const alive = new Set(["a", "b"]);
  const leasesOf = (id: string) => new Leases({ kv, id, instance: id, monotonic: () => 0 });
  const [first, thief] = [leasesOf("a"), leasesOf("b")];
  let [moments, isRound] = [0, false];
  let atTheft: Map<string, string> | undefined;
  let doneBefore = 0;
  try {
    await using scene = await holder.prepare(kv);
    const steal = async () => {
      await kv.delete(keys.pulse("a"));
      await thief.round();
      atTheft = await versionsOf(kv);
      doneBefore = scene.done.length;
    };
    let theft: Promise<void> | undefined;
    const watched = new WatchedStore(kv, async () => {
      if (isRound && ++moments === moment) theft = steal();
      // Concurrent work also waits.
      await theft;
    });
    const a = { kv: watched, nodes: nodesOf("a", first, alive) };
    await first.round();
    const round = await scene.open(a);
    isRound = true;
    await round().catch(rethrowOthers);
    await theft;
    // Waits for work that the round has started but not awaited.
    await delay(SETTLE_MS);
    isRound = false;
    const stale = atTheft === undefined ? [] : [
      ...changesBetween(atTheft, await versionsOf(kv), scene),
      ...scene.done.slice(doneBefore),
    ];
    if (atTheft !== undefined) {
      if (next === "thief") {
        await (await scene.open({ kv, nodes: nodesOf("b", thief, alive) }))();
      } else {
        await thief.release();
        await first.round();
        await round();
      }
    }
    return { moments, stale, outcome: await scene.outcome() };
  } finally {
    kv.close();
  }
}

function rethrowOthers(error: unknown): void {
  if (!(error instanceof LeaseLostError)) throw error;
}

function changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  { isOwn = () => false }: Pick<Scene, "isOwn">,
): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => before.get(key) !== after.get(key) && !isOwn(JSON.parse(key)));
}
