/** @module Numbers changes, and waits until every subscriber has applied them. */
import type { Change, FeedMessage, Snapshot } from "./messages.ts";

/** A subscriber as the publisher sees it. */
export interface Subscription {
  /** Sends a change. Changes arrive in order of position. */
  send(change: Change): void;
  /**
   * Called if the subscriber has not applied a change in time. The subscriber must then stop
   * serving.
   */
  onLate(change: Change): void;
}

/** A subscriber's entry, which records the changes that it has applied. */
export interface Subscribed {
  /** Number of changes that have been sent but not applied yet. */
  readonly behind: number;
  /** Records that every change up to a position has been applied. */
  applied(place: number): void;
  /** Cancels the subscription, so no call waits for the subscriber. */
  end(): void;
}

interface PublisherOptions {
  /** Time within which a subscriber must apply a change, in milliseconds. */
  readonly patienceMs: number;
}

interface Entry {
  readonly subscription: Subscription;
  applied: number;
  /** Callbacks, by the position that they wait for. */
  readonly waiting: Map<number, () => void>;
}

export class Publisher {
  readonly #entries = new Set<Entry>();
  readonly #sources: (() => Iterable<FeedMessage>)[] = [];
  #place = 0;

  readonly #options: PublisherOptions;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Registers a source of messages that describe a part of the current state, for snapshots. */
  include(source: () => Iterable<FeedMessage>): void {
    this.#sources.push(source);
  }

  /** Adds a subscriber, which gets every change after the returned snapshot. */
  subscribe(
    subscription: Subscription,
  ): { readonly snapshot: Snapshot; readonly entry: Subscribed } {
    const snapshot = this.snapshot();
    const entry: Entry = { subscription, applied: snapshot.place, waiting: new Map() };
    this.#entries.add(entry);
    return {
      snapshot,
      entry: {
        get behind() {
          return entry.waiting.size;
        },
        applied: (place) => settle(entry, place),
        end: () => {
          this.#entries.delete(entry);
          settle(entry, Infinity);
        },
      },
    };
  }

  /** Returns the complete current state, for a subscriber that missed a change. */
  snapshot(): Snapshot {
    return { place: this.#place, messages: this.#sources.flatMap((source) => [...source()]) };
  }

  /** Sends a message to all subscribers. Resolves when each has applied it or has been dropped. */
  readonly publish = async (message: FeedMessage): Promise<void> => {
    const change: Change = { place: ++this.#place, message };
    await Promise.all([...this.#entries].map((entry) => this.#send(entry, change)));
  };

  #send(entry: Entry, change: Change): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = setTimeout(() => entry.subscription.onLate(change), this.#options.patienceMs);
    entry.waiting.set(change.place, () => {
      clearTimeout(late);
      resolve();
    });
    entry.subscription.send(change);
    return promise;
  }
}

function settle(entry: Entry, place: number): void {
  entry.applied = Math.max(entry.applied, place);
  for (const [waited, done] of entry.waiting) {
    if (waited > place) continue;
    entry.waiting.delete(waited);
    done();
  }
}
