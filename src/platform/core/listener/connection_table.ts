/**
 * Tracks the open connections, and decides whether a client may open another one, which connections
 * are idle, and which have timed out. The table only decides: each connection closes itself.
 *
 * @module
 */
import type { ConnectionLimits } from "./types.ts";

/** The phase of a connection. */
export type Phase =
  | "handshake"
  /** Waiting for the first request. */
  | "head"
  | "answer"
  /** Waiting for another request. */
  | "idle"
  /** Being closed to free a slot for another connection. */
  | "closing";

export type Ending = "between requests" | "at once";

/** A request body that the platform is waiting for. */
interface BodyWait {
  since: number;
}

/** A response on its way to a client. */
export interface Sending {
  /**
   * When the client last received part of the response; `undefined` while the response's source has
   * yet to provide more.
   */
  since: number | undefined;
  /** Upper bound for the number of the response's bytes that are buffered. */
  readonly bytes: number;
  /** The number of responses that this one represents, including unwatched ones. */
  readonly stands: number;
  /** Whether the runtime has received the whole response. */
  isHandedOver: boolean;
}

export interface Tracked {
  /**
   * The group in which the connection is counted; `undefined` for a trusted proxy or a front edge.
   */
  group: string | undefined;
  phase: Phase;
  /** When the phase started. */
  since: number;
  /** Number of open WebSockets, and of requests whose responses have not been sent yet. */
  busy: number;
  /** Request bodies that the platform is waiting for. */
  readonly bodies: Set<BodyWait>;
  /** Watched responses that the client has not fully received. */
  readonly sendings: Set<Sending>;
  /** Upper bound for the number of bytes that are buffered for these responses. */
  unsent: number;
  /**
   * Whether the connection carries several requests at a time, which is possible only with HTTP/2.
   */
  isShared: boolean;
  /** Number of responses that the client cancelled since `resetsSince`. */
  resets: number;
  resetsSince: number;
  /** Closes the connection. Set by the code that serves the connection. */
  end: (how: Ending) => void;
}

export interface TableOptions {
  readonly limits: ConnectionLimits;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/**
 * Maximum fraction of an address's connections to close when the address reaches its limit. Only
 * idle connections are closed.
 */
const EVICTED_PART = 1 / 8;

/** Maximum number of concurrent requests on a connection. The runtime allows 200 streams. */
const MAX_REQUESTS = 256;

/**
 * Maximum number of responses that a client may cancel in a period, and the period in milliseconds.
 */
const MAX_RESETS = 400;
const RESETS_MS = 10_000;

/** Maximum number of bytes buffered for slow clients, across all connections. */
const MAX_UNSENT = 64 * 1024 * 1024;
/** Maximum number of bytes buffered for one connection while that total is exceeded. */
const FAIR_UNSENT = 1024 * 1024;
/**
 * How long a client may go without receiving any of its responses while that total is exceeded, in
 * milliseconds.
 */
const PRESSED_MS = 2_000;

/**
 * How long a connection must be idle before it is closed at shutdown, in milliseconds. A client
 * that sends requests one after another is told of the shutdown in a response.
 */
const QUIET_MS = 100;

/** The phases of a connection that has not had a request yet. */
const NEW: ReadonlySet<Phase> = new Set<Phase>(["handshake", "head"]);
const WAITING: ReadonlySet<Phase> = new Set<Phase>(["handshake", "head", "idle"]);

export class ConnectionTable {
  readonly #open = new Set<Tracked>();
  readonly #groups = new Map<string, Set<Tracked>>();
  readonly #limits: ConnectionLimits;
  readonly #now: () => number;
  /** Number of bytes buffered for clients. */
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

  /**
   * Closes each connection that has been idle for a moment, once its client has received all
   * responses.
   */
  finish(): void {
    const now = this.#now();
    for (const { phase, since, end } of this.#open) {
      if (phase === "idle" && now - since >= QUIET_MS) end("between requests");
    }
  }

  /** Closes connections that have not sent a request. */
  finishNew(): void {
    for (const entry of this.#open) if (NEW.has(entry.phase)) entry.end("at once");
  }

  /** Closes all connections immediately. */
  cutOff(): void {
    for (const entry of this.#open) entry.end("at once");
  }

  /**
   * Adds a new connection. If the connection's group is at its limit, closes the group's
   * connections that have been idle longest. Returns `undefined` if all of these are busy.
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

  remove(entry: Tracked): void {
    this.#open.delete(entry);
    this.#unsent -= entry.unsent;
    entry.unsent = 0;
    entry.sendings.clear();
    this.exempt(entry);
  }

  /**
   * Stops counting a connection toward its address's limit, because that limit is meant for a
   * single client.
   */
  exempt(entry: Tracked): void {
    if (entry.group === undefined) return;
    const others = this.#groups.get(entry.group);
    others?.delete(entry);
    if (others?.size === 0) this.#groups.delete(entry.group);
    entry.group = undefined;
  }

  shook(entry: Tracked): void {
    if (entry.phase === "handshake") this.#enter(entry, "head");
  }

  /**
   * Records a request or an opened WebSocket. If this returns `false`, the connection is closed.
   */
  began(entry: Tracked): boolean {
    if (entry.busy > 0) entry.isShared = true;
    entry.busy++;
    if (entry.phase !== "closing") entry.phase = "answer";
    if (entry.busy <= MAX_REQUESTS) return true;
    entry.end("at once");
    return false;
  }

  /** Records that a response was sent, or that a WebSocket was closed. */
  ended(entry: Tracked): void {
    entry.busy--;
    if (entry.busy === 0 && entry.phase === "answer") this.#enter(entry, "idle");
  }

  /** Records that a response will be sent. Call `sent` when the transfer has finished. */
  sends(entry: Tracked, held: Pick<Sending, "bytes" | "stands">): Sending {
    const sending: Sending = { ...held, since: this.#now(), isHandedOver: false };
    entry.sendings.add(sending);
    entry.unsent += held.bytes;
    this.#unsent += held.bytes;
    if (this.#isPressed && entry.unsent > FAIR_UNSENT) entry.end("at once");
    return sending;
  }

  /** Records that the client has asked for more of a response. */
  wants(sending: Sending): void {
    sending.since = undefined;
  }

  /** Records that the client has received more of a response. */
  progressed(sending: Sending): void {
    sending.since = this.#now();
  }

  /** Records that the client has received a response, or cancelled it. */
  sent(entry: Tracked, sending: Sending, how: "whole" | "reset"): void {
    if (!entry.sendings.delete(sending)) return;
    entry.unsent -= sending.bytes;
    this.#unsent -= sending.bytes;
    // Over HTTP/1.1, the runtime reports every stream of known length as aborted, even if it was
    // sent completely.
    if (how === "whole" || sending.isHandedOver) return;
    const now = this.#now();
    if (now - entry.resetsSince >= RESETS_MS) [entry.resets, entry.resetsSince] = [0, now];
    entry.resets += sending.stands;
    if (entry.resets > MAX_RESETS) entry.end("at once");
  }

  get #isPressed(): boolean {
    return this.#unsent > MAX_UNSENT;
  }

  /**
   * Records that the platform is waiting for more of a body. Call `over` when the wait has ended.
   */
  awaitsBody(entry: Tracked): { over(): void } {
    const wait: BodyWait = { since: this.#now() };
    entry.bodies.add(wait);
    return { over: () => void entry.bodies.delete(wait) };
  }

  /**
   * Closes up to `count` idle connections, starting with those that have been idle longest.
   * Connections from proxies and edges serve many clients, so they are closed only if no other
   * connections are idle.
   */
  evict(count: number): number {
    const counted = [...this.#open].filter(({ group }) => group !== undefined);
    const clients = longestWaiting(counted, count);
    const chosen = clients.length > 0 ? clients : longestWaiting(this.#open, count);
    for (const entry of chosen) {
      this.#enter(entry, "closing");
      entry.end("at once");
    }
    return chosen.length;
  }

  sweep(): void {
    const now = this.#now();
    for (const entry of this.#open) if (this.#isOverdue(entry, now)) entry.end("at once");
  }

  /**
   * Returns whether a client has stopped receiving all of its pending responses. It is normal for
   * some to wait while others progress.
   */
  #isStalled(entry: Tracked, now: number): boolean {
    // The system closes other connections that make no progress.
    if (!entry.isShared) return false;
    const patience = this.#isPressed ? PRESSED_MS : this.#limits.bodyMs;
    let stalled = 0;
    for (const { since } of entry.sendings) {
      if (since !== undefined && now - since >= patience) stalled++;
    }
    return stalled > 0 && stalled === entry.busy;
  }

  #isOverdue(entry: Tracked, now: number): boolean {
    const { handshakeMs, headMs, bodyMs, keepAliveMs } = this.#limits;
    for (const { since } of entry.bodies) if (now - since >= bodyMs) return true;
    if (this.#isStalled(entry, now)) return true;
    const waited = now - entry.since;
    switch (entry.phase) {
      case "handshake":
        return waited >= handshakeMs;
      case "head":
        return waited >= headMs;
      case "idle":
        return waited >= keepAliveMs;
      case "answer":
      case "closing":
        return false;
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
