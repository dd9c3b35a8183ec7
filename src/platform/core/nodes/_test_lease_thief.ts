/**
 * A leader whose lease another node takes at a moment of a round: before one of its reads
 * or commits.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import { fencedKv, LeaseLostError, type Nodes, type Role } from "./mod.ts";
import { Leases } from "./leases.ts";
import { keys } from "../store/mod.ts";

/** A node as what it leads sees it. */
export interface LeaderNode {
  readonly kv: Deno.Kv;
  readonly nodes: Nodes;
}

/** What one node does for all, over a store. */
export interface Scene extends AsyncDisposable {
  /** Opens it on a node; each call of the result is a round. */
  open(node: LeaderNode): Promise<() => Promise<unknown>>;
  /** What became of it, whichever node has done it. */
  outcome(): Promise<unknown>;
  /** Done beside the store, such as files that were removed. */
  readonly done: readonly string[];
  /** Whether a record is a process's own, whoever leads. */
  isOwn?(key: Deno.KvKey): boolean;
}

export interface Holder {
  readonly role: Role;
  /** Whether a round takes so long that one next leader for each moment is enough. */
  readonly isSlow?: boolean;
  prepare(kv: Deno.Kv): Promise<Scene>;
}

/** What came of a round and of the one after it. */
export interface Told {
  /** Reads and commits of the round. */
  readonly moments: number;
  /** What the leader stored or did without its lease. */
  readonly stale: readonly string[];
  readonly outcome: unknown;
}

type Moment = () => Promise<void>;

/** How long a round's parallel work may differ, and is waited for, in milliseconds. */
export const SKEW_MS = 2;
const SETTLE_MS = 3 * SKEW_MS;

/** The same store; `before` runs before each of its reads and commits. */
function watchedKv(kv: Deno.Kv, before: Moment): Deno.Kv {
  const watched: Partial<Deno.Kv> = {
    get: async (...given) => {
      await before();
      return await kv.get(...given);
    },
    getMany: async (...given) => {
      await before();
      return await kv.getMany(...given);
    },
    list<T = unknown>(...given: Parameters<Deno.Kv["list"]>): Deno.KvListIterator<T> {
      const found = kv.list<T>(...given);
      let isFirst = true;
      const next: typeof found.next = async () => {
        if (isFirst) await before();
        isFirst = false;
        return await found.next();
      };
      return new Proxy(found, {
        get(_, name) {
          if (name === "next") return next;
          if (name === Symbol.asyncIterator) return () => ({ next });
          return Reflect.get(found, name, found);
        },
      });
    },
    atomic() {
      const operation = kv.atomic();
      const commit = operation.commit.bind(operation);
      operation.commit = async () => {
        await before();
        return await commit();
      };
      return operation;
    },
  };
  return new Proxy(kv, {
    get(target, name) {
      const own = Reflect.get(watched, name) ?? Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

const LEASES: ReadonlySet<Deno.KvKeyPart> = new Set([
  keys.leases()[0]!,
  keys.pulses()[0]!,
]);

/** The versions of all records but those of leases. */
async function versionsOf(kv: Deno.Kv): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  for await (const { key, versionstamp } of kv.list({ prefix: [] })) {
    if (!LEASES.has(key[0]!)) versions.set(JSON.stringify(key), versionstamp);
  }
  return versions;
}

function nodesOf(id: string, leases: Leases, alive: ReadonlySet<string>): Nodes {
  return {
    ...{ id, instance: id, isShared: true },
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
 * Runs a round of a leader and takes its lease before its read or commit of a number, then
 * lets the next leader run one: the thief, or the first node that has its lease back.
 */
export async function stealAt(
  holder: Holder,
  { moment, next }: { readonly moment: number; readonly next: "thief" | "first" },
): Promise<Told> {
  const kv = await Deno.openKv(":memory:");
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
    const watched = watchedKv(kv, async () => {
      if (isRound && ++moments === moment) theft = steal();
      // What goes on beside it waits as well.
      await theft;
    });
    const a = { kv: fencedKv(watched), nodes: nodesOf("a", first, alive) };
    await first.round();
    const round = await scene.open(a);
    isRound = true;
    await round().catch(rethrowOthers);
    await theft;
    // What the round has begun and not waited for.
    await delay(SETTLE_MS);
    isRound = false;
    const stale = atTheft === undefined ? [] : [
      ...changesBetween(atTheft, await versionsOf(kv), scene),
      ...scene.done.slice(doneBefore),
    ];
    if (atTheft !== undefined) {
      if (next === "thief") {
        await (await scene.open({ kv: fencedKv(kv), nodes: nodesOf("b", thief, alive) }))();
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
