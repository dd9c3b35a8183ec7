/**
 * The open connections: who may open one, which are idle, and which ran out of
 * time. It only decides; closing is left to each connection.
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
  /** Was asked to end, and finishes its running requests. */
  | "closing";

/** How a connection ends: after its running requests, or at once. */
export type Ending = "gracefully" | "at once";

/** A request body while the platform waits for more of it. */
export interface BodyWait {
  since: number;
}

/** The table's entry of one connection. */
export interface Tracked {
  /** The group that it is counted in; `undefined` for a trusted proxy. */
  readonly group: string | undefined;
  phase: Phase;
  /** When the phase began. */
  since: number;
  /** Requests whose responses are not sent yet, and WebSockets that it was upgraded to. */
  busy: number;
  /** Bodies that the platform waits for. */
  readonly bodies: Set<BodyWait>;
  /** Ends the connection; set by whoever serves it. */
  end: (how: Ending) => void;
}

export interface TableOptions {
  readonly limits: ConnectionLimits;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/**
 * At the limit of an address, idle connections up to this part of the limit are
 * closed at a time.
 */
const EVICTED_PART = 1 / 8;

/**
 * How many times the limit for a body without progress a response may still
 * take once its connection is ending.
 */
const CLOSING_BODIES = 10;

/** Phases of connections that had no request yet. */
const NEW: ReadonlySet<Phase> = new Set<Phase>(["handshake", "head"]);
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

  /** Ends all connections gracefully but those whose first request is still to come. */
  finish(): void {
    for (const entry of this.#open) if (!NEW.has(entry.phase)) entry.end("gracefully");
  }

  /** Closes the connections whose first request has not come, and ends the others gracefully. */
  finishNew(): void {
    for (const entry of this.#open) entry.end(NEW.has(entry.phase) ? "at once" : "gracefully");
  }

  /** Closes all connections at once. */
  cutOff(): void {
    for (const entry of this.#open) entry.end("at once");
  }

  /**
   * Adds a new connection. At the limit of its group, those that were idle
   * longest make room; `undefined` if all of them are busy.
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

  /** Removes a connection that is closed. */
  remove(entry: Tracked): void {
    this.#open.delete(entry);
    if (entry.group === undefined) return;
    const others = this.#groups.get(entry.group);
    others?.delete(entry);
    if (others?.size === 0) this.#groups.delete(entry.group);
  }

  /** Notes that the handshake is done. */
  shook(entry: Tracked): void {
    if (entry.phase === "handshake") this.#enter(entry, "head");
  }

  /** Notes that a request came, or that a WebSocket was opened. */
  began(entry: Tracked): void {
    entry.busy++;
    if (entry.phase !== "closing") entry.phase = "answer";
  }

  /** Notes that a response was sent, or that a WebSocket was closed. */
  ended(entry: Tracked): void {
    entry.busy--;
    if (entry.busy === 0 && entry.phase === "answer") this.#enter(entry, "idle");
  }

  /** Notes that the platform waits for more of a body; call `over` when it no longer does. */
  awaitsBody(entry: Tracked): { over(): void } {
    const wait: BodyWait = { since: this.#now() };
    entry.bodies.add(wait);
    return { over: () => void entry.bodies.delete(wait) };
  }

  /**
   * Ends up to `count` connections without running requests, those that were
   * idle longest first.
   */
  evict(count: number): number {
    const chosen = longestWaiting(this.#open, count);
    for (const entry of chosen) {
      this.#enter(entry, "closing");
      entry.end("at once");
    }
    return chosen.length;
  }

  /** Ends the connections that ran out of time. */
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
