/** Stores events, and passes them to notifications in order, even after a crash. @module */
import { type EventData, MAX_EVENT_TEXT } from "../../../contract/event_data.ts";
import type { Clock, Random } from "../../../lib/clock.ts";
import { UnavailableError } from "../../../lib/unavailable_error.ts";
import type { Nodes } from "../nodes/mod.ts";
import { EventIds } from "./event_id.ts";
import type { EventRecord, EventStore, NewEvent } from "./event_store.ts";
import type { RaisedEvent, RaiseEvent } from "./raise_event.ts";
import { Lease, LeaseLostError, type Led } from "../../../store/mod.ts";

/** Maximum number of events that are stored in one commit, or passed on at a time. */
const BATCH = 100;

/** Maximum number of stored events kept in memory until they are passed on. */
const MAX_FRESH = 1000;

/**
 * Time between searches of the store for events that another process has left there, in
 * milliseconds.
 */
const LOOK_MS = 60_000;

/** Maximum length of the data in one commit, in characters. A commit can hold up to 800 KiB. */
const BATCH_CHARACTERS = 200_000;

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 60_000;
/**
 * Maximum wait between attempts while the store does not respond, in milliseconds. The wait is
 * short, because the store may recover at any moment.
 */
const LAST_OUTAGE_RETRY_MS = 5000;

/** Returns how long to wait before retrying events that could not be passed on, in milliseconds. */
export function retryDelay(failures: number, error: unknown): number {
  const most = error instanceof UnavailableError ? LAST_OUTAGE_RETRY_MS : LAST_RETRY_MS;
  return Math.min(FIRST_RETRY_MS * 2 ** failures, most);
}

/**
 * Notifies everyone whom the events concern. After a crash, a repeated call with the same events
 * must have no effect.
 */
export type PassOn = (events: readonly EventRecord[], lease: Lease) => Promise<void>;

interface EventBusOptions {
  readonly store: EventStore;
  /** The nodes, one of which passes events on. By default, there is only this node. */
  readonly nodes?: Pick<Nodes, "isShared" | "leads" | "during" | "onGained" | "onDeath">;
  readonly now: Clock;
  readonly random: Random;
  readonly onTrouble: (message: string) => void;
}

interface Waiting {
  readonly event: NewEvent;
  resolve(id: string): void;
  reject(reason: unknown): void;
}

/** Returns the data, with overlong strings such as a build's error shortened. */
function withinBounds(data: EventData): EventData {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) =>
      typeof value === "string" && value.length > MAX_EVENT_TEXT
        ? [name, `${value.slice(0, MAX_EVENT_TEXT - 1).toWellFormed()}…`]
        : [name, value]
    ),
  );
}

/** Returns how many events from the start of the list fit into one commit; at least one. */
function batchSize(waiting: readonly Waiting[]): number {
  let characters = 0;
  const end = waiting.findIndex(({ event }, index) => {
    characters += JSON.stringify(event.data).length;
    return index === BATCH || characters > BATCH_CHARACTERS;
  });
  return end === -1 ? waiting.length : Math.max(end, 1);
}

export class EventBus {
  readonly #ids: EventIds;
  #waiting: Waiting[] = [];
  #storing: Promise<void> | undefined;
  #noting: Promise<void> | undefined;
  #passOn: PassOn | undefined;
  #passing: Promise<void> | undefined;
  /** Events that this node has stored but not passed on yet, in order. */
  #fresh: EventRecord[] = [];
  /** Whether the store may contain events that are older than those in memory. */
  #behind = true;
  /** How many times the store got events that are not in memory. */
  #arrivals = 0;
  #lookedAt = 0;
  #failures = 0;
  #watchers: { readonly id: string; resolve(): void }[] = [];
  #retry: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  readonly #options: EventBusOptions;

  constructor(options: EventBusOptions) {
    this.#options = options;
    this.#ids = new EventIds(options.now, options.random);
  }

  /** The store's methods for the node that passes events on. */
  get #led(): Led<Pick<EventStore, "pending" | "remove">> {
    return this.#options.store;
  }

  /** Like `record()`, but never rejects. For callers that do not need the ID. */
  readonly raise: RaiseEvent = async (event) => {
    try {
      await this.record(event);
    } catch (error) {
      this.#options.onTrouble(`Cannot raise ${event.event}: ${error}`);
    }
  };

  /** Stores an event. Resolves with the event's ID once the event would survive a crash. */
  record({ event, audience, data, key }: RaisedEvent): Promise<string> {
    const stored = Promise.withResolvers<string>();
    const createdAt = this.#options.now();
    const kept = { event, audience, data: withinBounds(data), key, createdAt };
    this.#waiting.push({ event: kept, ...stored });
    this.#store();
    return stored.promise;
  }

  /**
   * Passes on all waiting events, then each new one. Also raises events that were stored but never
   * raised, including events of a node that has failed.
   */
  start(passOn: PassOn): void {
    this.#passOn = passOn;
    this.#options.nodes?.onGained("events", () => {
      // Earlier failures may have had the same cause as the change of leader, so retry immediately.
      clearTimeout(this.#retry);
      this.#retry = undefined;
      this.#failures = 0;
      this.look();
    });
    this.#wake();
    this.#noting = this.#raiseNoted();
    this.#options.nodes?.onDeath(() => {
      if (!this.#closed) this.#noting = this.#noting?.then(() => this.#raiseNoted());
    });
  }

  /** Looks for events that another node has stored, and passes them on. */
  look(): void {
    this.#behind = true;
    this.#arrivals++;
    this.#wake();
  }

  /** Resolves when a stored event has been passed on, or when an attempt to do so has failed. */
  async passed(id: string): Promise<void> {
    if (this.#passing === undefined) return;
    const passed = Promise.withResolvers<void>();
    this.#watchers.push({ id, resolve: passed.resolve });
    await passed.promise;
  }

  /**
   * Stores the raised events and finishes the current round. Other events wait for the next start.
   */
  async close(): Promise<void> {
    await this.#noting;
    await this.#storing;
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#passing;
  }

  async #raiseNoted(): Promise<void> {
    try {
      for (const event of await this.#options.store.noted()) await this.raise(event);
    } catch (error) {
      this.#options.onTrouble(`Cannot read events that were stored but not raised: ${error}`);
    }
  }

  #store(): void {
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = undefined;
      if (this.#waiting.length > 0) this.#store();
    });
  }

  async #storeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchSize(this.#waiting));
      try {
        const { ids, stored } = await this.#options.store.add(
          batch.map(({ event }) => event),
          this.#ids,
        );
        this.#keepFresh(stored);
        this.#wake();
        batch.forEach(({ resolve }, index) => resolve(ids[index]!));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  #keepFresh(stored: readonly EventRecord[]): void {
    this.#fresh.push(...stored);
    // Other nodes may have stored events between these, so the store must be read.
    if (this.#fresh.length <= MAX_FRESH && this.#options.nodes?.isShared !== true) return;
    this.#fresh = [];
    this.#behind = true;
    this.#arrivals++;
  }

  #wake(): void {
    const passOn = this.#passOn;
    if (passOn === undefined || this.#closed || this.#retry !== undefined) return;
    if (this.#options.nodes?.leads("events") === false) return;
    this.#passing ??= this.#passHere(passOn).finally(() => {
      this.#passing = undefined;
      if (this.#behind || this.#fresh.length > 0) this.#wake();
      // Events may have been stored while this round was finishing. A new round passes them on, and
      // resolves their watchers.
      if (this.#passing === undefined) this.#release();
    });
  }

  async #passHere(passOn: PassOn): Promise<void> {
    const { nodes } = this.#options;
    if (nodes === undefined) return await this.#passAll(passOn, Lease.ofSoleNode("events"));
    try {
      await nodes.during("events", (lease) => this.#passAll(passOn, lease));
    } catch (error) {
      if (!(error instanceof LeaseLostError)) throw error;
    }
  }

  /** Resolves the watchers of events up to an ID, or of all events. */
  #release(upTo?: string): void {
    const watchers = this.#watchers;
    this.#watchers = watchers.filter(({ id }) => upTo !== undefined && id > upTo);
    for (const { id, resolve } of watchers) if (upTo === undefined || id <= upTo) resolve();
  }

  /**
   * Returns the oldest events that have not been passed on: from memory, unless the store has older
   * ones.
   */
  async #next(
    removed: Promise<void> | undefined,
    lease: Lease,
  ): Promise<readonly EventRecord[]> {
    const now = this.#options.now();
    if (!this.#behind && now - this.#lookedAt < LOOK_MS) return this.#fresh.splice(0, BATCH);
    this.#lookedAt = now;
    this.#behind = true;
    await removed;
    const arrivals = this.#arrivals;
    const events = await this.#led.pending(BATCH, lease);
    this.#behind = events.length === BATCH || arrivals !== this.#arrivals;
    const found = new Set(events.map(({ id }) => id));
    this.#fresh = events.length === BATCH ? [] : this.#fresh.filter(({ id }) => !found.has(id));
    return events.length > 0 ? events : this.#fresh.splice(0, BATCH);
  }

  /**
   * Passes on events one batch at a time, because a later event must not overtake an earlier one.
   */
  async #passAll(passOn: PassOn, lease: Lease): Promise<void> {
    const { onTrouble } = this.#options;
    // Events are removed while the next ones are passed on, so both share a flush.
    let removed: Promise<void> | undefined;
    try {
      while (!this.#closed) {
        const events = await this.#next(removed, lease);
        if (events.length === 0) break;
        await passOn(events, lease);
        this.#release(events.at(-1)?.id);
        await removed;
        removed = this.#led.remove(events, lease);
        removed.catch(() => {});
        this.#failures = 0;
      }
      await removed;
    } catch (error) {
      await removed?.catch(() => {});
      this.#behind = true;
      if (error instanceof LeaseLostError) throw error;
      onTrouble(
        `Cannot notify people of events: ${error}. The events are kept and will be retried`,
      );
      if (this.#closed) return;
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.#wake();
      }, retryDelay(this.#failures++, error));
    }
  }
}
