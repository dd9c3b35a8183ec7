/**
 * The open connections: who may open one, which are idle, and which ran out of
 * time. It only decides; closing is left to each connection.
 *
 * @module
 */
import type { ConnectionLimits } from "./types.ts";

/** The phase of a connection. */
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

/** A response on its way to a client. */
export interface Sending {
  /** When the client last took a part of it; `undefined` while more is awaited from its source. */
  since: number | undefined;
  /** Its maximum buffered bytes. */
  readonly bytes: number;
  /** How many answers it stands for. */
  readonly stands: number;
  /** Whether the runtime has been handed all of it. */
  isHandedOver: boolean;
}

/** The table's entry of one connection. */
export interface Tracked {
  /** The group that it is counted in; `undefined` for a trusted proxy and a front edge. */
  group: string | undefined;
  phase: Phase;
  /** When the phase began. */
  since: number;
  /** Requests whose responses are not sent yet, and WebSockets that it was upgraded to. */
  busy: number;
  /** Bodies that the platform waits for. */
  readonly bodies: Set<BodyWait>;
  /** Watched answers that the client has not taken. */
  readonly sendings: Set<Sending>;
  /** Bytes that may be held for them. */
  unsent: number;
  /** Whether it carries several requests at a time, as only HTTP/2 does. */
  isShared: boolean;
  /** Answers that the client gave up since `resetsSince`. */
  resets: number;
  resetsSince: number;
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
 * How many times the limit for a stalled body a response may still take once its connection is
 * closing.
 */
const CLOSING_BODIES = 10;

/**
 * Maximum number of requests under way on a connection. The runtime allows 200 streams; a client
 * has more only where it resets those whose responses are still being created.
 */
const MAX_REQUESTS = 256;

/** Maximum number of responses that a client may give up in a time, in milliseconds. */
const MAX_RESETS = 400;
const RESETS_MS = 10_000;

/** Maximum number of bytes held for clients of all connections that do not take them. */
const MAX_UNSENT = 64 * 1024 * 1024;
/** The share of each connection when all of that is in use. */
const FAIR_UNSENT = 1024 * 1024;
/** How long a fully received response may rest, in milliseconds. */
const PRESSED_MS = 2_000;

/** Phases of connections that had no request yet. */
const NEW: ReadonlySet<Phase> = new Set<Phase>(["handshake", "head"]);
const WAITING: ReadonlySet<Phase> = new Set<Phase>(["handshake", "head", "idle"]);

export class ConnectionTable {
  readonly #open = new Set<Tracked>();
  readonly #groups = new Map<string, Set<Tracked>>();
  readonly #limits: ConnectionLimits;
  readonly #now: () => number;
  /** Bytes held for clients. */
  #unsent = 0;

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
   * Adds a new connection. At the limit of its group, those idle longest are closed; `undefined` if
   * all of them are busy.
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
      group,
      phase,
      since: this.#now(),
      busy: 0,
      bodies: new Set(),
      sendings: new Set(),
      unsent: 0,
      isShared: false,
      resets: 0,
      resetsSince: this.#now(),
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
    this.#unsent -= entry.unsent;
    entry.unsent = 0;
    entry.sendings.clear();
    this.exempt(entry);
  }

  /** Counts a connection no longer as one of its address, whose limit is for a single client. */
  exempt(entry: Tracked): void {
    if (entry.group === undefined) return;
    const others = this.#groups.get(entry.group);
    others?.delete(entry);
    if (others?.size === 0) this.#groups.delete(entry.group);
    entry.group = undefined;
  }

  /** Notes that the handshake is done. */
  shook(entry: Tracked): void {
    if (entry.phase === "handshake") this.#enter(entry, "head");
  }

  /** Notes that a request came, or that a WebSocket was opened; `false` ends the connection. */
  began(entry: Tracked): boolean {
    if (entry.busy > 0) entry.isShared = true;
    entry.busy++;
    if (entry.phase !== "closing") entry.phase = "answer";
    if (entry.busy <= MAX_REQUESTS) return true;
    entry.end("at once");
    return false;
  }

  /** Notes that a response was sent, or that a WebSocket was closed. */
  ended(entry: Tracked): void {
    entry.busy--;
    if (entry.busy === 0 && entry.phase === "answer") this.#enter(entry, "idle");
  }

  /** Notes that a response is to be sent; call `sent` when that has ended. */
  sends(entry: Tracked, held: Pick<Sending, "bytes" | "stands">): Sending {
    const sending: Sending = { ...held, since: this.#now(), isHandedOver: false };
    entry.sendings.add(sending);
    entry.unsent += held.bytes;
    this.#unsent += held.bytes;
    if (this.#isPressed && entry.unsent > FAIR_UNSENT) entry.end("at once");
    return sending;
  }

  /** Notes that the client wants more of a response. */
  wants(sending: Sending): void {
    sending.since = undefined;
  }

  /** Notes that the client has been handed more of a response. */
  progressed(sending: Sending): void {
    sending.since = this.#now();
  }

  /** Notes that the client has a response, or gave it up. */
  sent(entry: Tracked, sending: Sending, how: "whole" | "reset"): void {
    if (!entry.sendings.delete(sending)) return;
    entry.unsent -= sending.bytes;
    this.#unsent -= sending.bytes;
    // Over HTTP/1.1 the runtime reports each stream with a length as broken off, even when it was sent.
    if (how === "whole" || sending.isHandedOver) return;
    const now = this.#now();
    if (now - entry.resetsSince >= RESETS_MS) [entry.resets, entry.resetsSince] = [0, now];
    entry.resets += sending.stands;
    if (entry.resets > MAX_RESETS) entry.end("at once");
  }

  get #isPressed(): boolean {
    return this.#unsent > MAX_UNSENT;
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

  /** Ends a connection whose client does not read its responses; others on it continue first. */
  #stalled(entry: Tracked, now: number): Ending | undefined {
    // Elsewhere the system ends what makes no progress.
    if (!entry.isShared) return undefined;
    const patience = this.#isPressed ? PRESSED_MS : this.#limits.bodyMs;
    let stalled = 0;
    for (const { since } of entry.sendings) {
      if (since !== undefined && now - since >= patience) stalled++;
    }
    if (stalled === 0) return undefined;
    if (stalled === entry.busy) return "at once";
    return entry.phase === "closing" ? undefined : "gracefully";
  }

  #overdue(entry: Tracked, now: number): Ending | undefined {
    const { handshakeMs, headMs, bodyMs, keepAliveMs } = this.#limits;
    for (const { since } of entry.bodies) if (now - since >= bodyMs) return "at once";
    const stalled = this.#stalled(entry, now);
    if (stalled !== undefined) return stalled;
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
