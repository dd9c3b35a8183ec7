/**
 * The connections that are open: who may open one, which are idle, and which
 * have run out of time. Pure: it decides, and others close.
 *
 * @module
 */
import type { ConnectionLimits } from "./types.ts";

/** What a connection waits for. */
export type Phase =
  | "handshake"
  /** The first request. */
  | "head"
  | "answer"
  /** Another request. */
  | "idle"
  /** Was asked to end, and finishes what is under way. */
  | "closing";

/** How a connection ends: after what is under way, or at once. */
export type Ending = "gracefully" | "at once";

/** A request body while the platform waits for more of it. */
export interface BodyWait {
  since: number;
}

/** One connection, as it is accounted for. */
export interface Tracked {
  /** Who opened it, as far as connections are counted by that; `undefined` for a trusted proxy. */
  readonly group: string | undefined;
  phase: Phase;
  /** When the phase began. */
  since: number;
  /** Requests whose answers are not sent yet, and sockets that it was upgraded to. */
  busy: number;
  /** Bodies that the platform waits for. */
  readonly bodies: Set<BodyWait>;
  /** Set by whoever serves the connection. */
  end: (how: Ending) => void;
}

export interface TableOptions {
  readonly limits: ConnectionLimits;
  /** A clock that never jumps, in milliseconds. */
  readonly now: () => number;
}

/** Where an address has all that it may, this part of them is emptied of idle ones at a time. */
const EVICTED_PART = 1 / 8;

/** How much longer than without progress what is being sent may take once its connection ends. */
const CLOSING_BODIES = 10;

const WAITING: ReadonlySet<Phase> = new Set<Phase>(["handshake", "head", "idle"]);

export class ConnectionTable {
  readonly #open = new Set<Tracked>();
  readonly #groups = new Map<string, Set<Tracked>>();
  readonly #limits: ConnectionLimits;
  readonly #now: () => number;

  constructor({ limits, now }: TableOptions) {
    this.#limits = limits;
    this.#now = now;
  }

  get size(): number {
    return this.#open.size;
  }

  get isFull(): boolean {
    return this.#open.size >= this.#limits.maxConnections;
  }

  /** Ends all: those that nothing is under way on and never was at once, the others gracefully. */
  finish(): void {
    for (const entry of this.#open) {
      const isNew = entry.phase === "handshake" || entry.phase === "head";
      entry.end(isNew ? "at once" : "gracefully");
    }
  }

  /** Cuts all off. */
  cutOff(): void {
    for (const entry of this.#open) entry.end("at once");
  }

  /**
   * Takes in a new connection. At the limit of its group those that have waited
   * longest make room; `undefined` where all of them are busy.
   */
  admit(group: string | undefined, phase: "handshake" | "head"): Tracked | undefined {
    const others = group === undefined ? undefined : this.#groups.get(group);
    if (others !== undefined && others.size >= this.#limits.maxPerAddress) {
      const oldest = longestWaiting(others, Math.ceil(this.#limits.maxPerAddress * EVICTED_PART));
      if (oldest.length === 0) return undefined;
      for (const other of oldest) {
        other.end("at once");
        this.remove(other);
      }
    }
    const entry: Tracked = {
      ...{ group, phase, since: this.#now(), busy: 0, bodies: new Set() },
      end: () => {},
    };
    this.#open.add(entry);
    if (group !== undefined) {
      const own = this.#groups.get(group) ?? new Set();
      this.#groups.set(group, own.add(entry));
    }
    return entry;
  }

  /** It is closed. */
  remove(entry: Tracked): void {
    this.#open.delete(entry);
    if (entry.group === undefined) return;
    const others = this.#groups.get(entry.group);
    others?.delete(entry);
    if (others?.size === 0) this.#groups.delete(entry.group);
  }

  /** The handshake is done. */
  shook(entry: Tracked): void {
    if (entry.phase === "handshake") this.#enter(entry, "head");
  }

  /** A request has come, or a socket has been opened. */
  began(entry: Tracked): void {
    entry.busy++;
    if (entry.phase !== "closing") entry.phase = "answer";
  }

  /** An answer is sent, or a socket closed. */
  ended(entry: Tracked): void {
    entry.busy--;
    if (entry.busy === 0 && entry.phase === "answer") this.#enter(entry, "idle");
  }

  /** The platform waits for more of a body; `over` says that it does no longer. */
  awaitsBody(entry: Tracked): { over(): void } {
    const wait: BodyWait = { since: this.#now() };
    entry.bodies.add(wait);
    return { over: () => void entry.bodies.delete(wait) };
  }

  /** Ends up to `count` connections that nothing is under way on, those that wait longest first. */
  evict(count: number): number {
    const chosen = longestWaiting(this.#open, count);
    for (const entry of chosen) {
      this.#enter(entry, "closing");
      entry.end("at once");
    }
    return chosen.length;
  }

  /** Ends the connections that have run out of time. */
  sweep(): void {
    const now = this.#now();
    for (const entry of this.#open) {
      const how = this.#overdue(entry, now);
      if (how === undefined) continue;
      if (how === "gracefully") this.#enter(entry, "closing");
      entry.end(how);
    }
  }

  #overdue(entry: Tracked, now: number): Ending | undefined {
    const { handshakeMs, headMs, bodyMs, keepAliveMs } = this.#limits;
    for (const { since } of entry.bodies) if (now - since >= bodyMs) return "at once";
    const waited = now - entry.since;
    switch (entry.phase) {
      case "handshake":
        return waited >= handshakeMs ? "at once" : undefined;
      case "head":
        return waited >= headMs ? "at once" : undefined;
      case "idle":
        return waited >= keepAliveMs ? "gracefully" : undefined;
      case "closing":
        return entry.busy === 0 && waited >= CLOSING_BODIES * bodyMs ? "at once" : undefined;
      case "answer":
        return undefined;
    }
  }

  #enter(entry: Tracked, phase: Phase): void {
    entry.phase = phase;
    entry.since = this.#now();
  }
}

function longestWaiting(entries: Iterable<Tracked>, count: number): Tracked[] {
  const waiting = [...entries].filter(({ phase }) => WAITING.has(phase));
  return waiting.sort((left, right) => left.since - right.since).slice(0, count);
}
