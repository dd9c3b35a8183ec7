/**
 * The receiving end of the feed: applies changes in order, and requests a snapshot if one is
 * missing.
 *
 * @module
 */
import type { Change, FeedMessage, Snapshot } from "./messages.ts";

export interface SubscriberOptions {
  /** Applies a message. A failure is reported, and does not keep later ones from being applied. */
  apply(message: FeedMessage): void | Promise<void>;
  /** Replaces all that was known. */
  replace(messages: readonly FeedMessage[]): void | Promise<void>;
  /** Called when every change up to a place has been applied. */
  applied(place: number): void;
  /** Called where a change is missing: a snapshot is wanted. */
  onGap(): void;
  /** Called with the fault of a message that could not be applied. */
  onError(error: unknown): void;
}

export class Subscriber {
  #work: Promise<void> = Promise.resolve();
  /** Place of the last change that was taken; `undefined` until a snapshot has come. */
  #place: number | undefined;

  readonly #options: SubscriberOptions;

  constructor(options: SubscriberOptions) {
    this.#options = options;
  }

  /** Resolves when all that was taken is applied. */
  settled(): Promise<void> {
    return this.#work;
  }

  /** Takes a snapshot; changes before its place are not needed any more. */
  reset({ place, messages }: Snapshot): void {
    this.#place = place;
    this.#then(place, () => this.#options.replace(messages));
  }

  /** Takes a change. */
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
