/** @module Applies changes in order, and requests a snapshot if a change is missing. */
import type { Change, FeedMessage, Snapshot } from "./messages.ts";

interface SubscriberOptions {
  /** Applies a message. A failure is reported, and later changes are still applied. */
  apply(message: FeedMessage): void | Promise<void>;
  /** Replaces all state known so far. */
  replace(messages: readonly FeedMessage[]): void | Promise<void>;
  /** Called when all changes up to a position have been applied. */
  applied(place: number): void;
  /** Called if a change is missing, to request a snapshot. */
  onGap(): void;
  /** Called with the error if a message could not be applied. */
  onError(error: unknown): void;
}

export class Subscriber {
  #work: Promise<void> = Promise.resolve();
  /** Position of the last applied change; `undefined` before the first snapshot. */
  #place: number | undefined;

  readonly #options: SubscriberOptions;

  constructor(options: SubscriberOptions) {
    this.#options = options;
  }

  /** Resolves when every received change has been applied. */
  settled(): Promise<void> {
    return this.#work;
  }

  /** Applies a snapshot. Changes before its position are no longer needed. */
  reset({ place, messages }: Snapshot): void {
    this.#place = place;
    this.#then(place, () => this.#options.replace(messages));
  }

  /** Applies a change, or requests a snapshot if an earlier change is missing. */
  receive({ place, message }: Change): void {
    if (this.#place === undefined || place <= this.#place) return;
    if (place !== this.#place + 1) {
      this.#place = undefined;
      this.#options.onGap();
      return;
    }
    this.#place = place;
    this.#then(place, () => this.#options.apply(message));
  }

  #then(place: number, work: () => void | Promise<void>): void {
    this.#work = this.#work.then(work)
      .catch((error) => this.#options.onError(error))
      .then(() => this.#options.applied(place));
  }
}
