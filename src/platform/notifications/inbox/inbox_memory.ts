/**
 * Inboxes in memory. If another node changes an inbox first, this node's change is applied again.
 *
 * @module
 */
import type { InboxIndex } from "./inbox_index.ts";
import { InboxChangedError } from "./inbox_store.ts";

/**
 * Maximum number of pages in memory. A page takes 9 KB, so all pages take 72 MB, for 2 million
 * notifications.
 */
const MAX_PAGES = 8192;

/** Maximum number of attempts to make a change that competes with changes by other nodes. */
const MAX_ATTEMPTS = 20;

interface InboxMemoryOptions {
  load(userId: string): Promise<InboxIndex>;
  /** Returns whether a user's inbox must stay in memory for now. */
  isBusy(userId: string): boolean;
  readonly maxPages?: number;
}

export class InboxMemory {
  /** The inboxes, least recently used first. */
  readonly #loaded = new Map<string, InboxIndex>();
  /** The last change in the queue of each inbox. */
  readonly #queues = new Map<string, Promise<void>>();

  readonly #options: InboxMemoryOptions;

  constructor(options: InboxMemoryOptions) {
    this.#options = options;
  }

  async open(userId: string): Promise<InboxIndex> {
    const index = this.#loaded.get(userId);
    if (index === undefined) return await this.change(userId, (fresh) => Promise.resolve(fresh));
    this.#loaded.delete(userId);
    this.#loaded.set(userId, index);
    return index;
  }

  change<T>(userId: string, run: (index: InboxIndex) => Promise<T>): Promise<T> {
    const before = this.#queues.get(userId) ?? Promise.resolve();
    const result = before.then(() => this.#attempt(userId, run));
    const end: Promise<void> = result.then(() => {}, () => {}).then(() => {
      if (this.#queues.get(userId) === end) this.#queues.delete(userId);
    });
    this.#queues.set(userId, end);
    return result;
  }

  /** Drops an inbox from memory. Returns the inbox if it was there. */
  forget(userId: string): InboxIndex | undefined {
    const index = this.#loaded.get(userId);
    this.#loaded.delete(userId);
    return index;
  }

  forgetAll(): void {
    this.#loaded.clear();
  }

  async #attempt<T>(userId: string, run: (index: InboxIndex) => Promise<T>): Promise<T> {
    for (let count = 1;; count++) {
      try {
        return await run(await this.#load(userId));
      } catch (error) {
        if (!(error instanceof InboxChangedError) || count === MAX_ATTEMPTS) throw error;
        this.forget(userId);
      }
    }
  }

  async idle(): Promise<void> {
    await Promise.all(this.#queues.values());
  }

  async #load(userId: string): Promise<InboxIndex> {
    const known = this.#loaded.get(userId);
    if (known !== undefined) return known;
    const index = await this.#options.load(userId);
    this.#makeRoom(index.pages.length);
    this.#loaded.set(userId, index);
    return index;
  }

  /** Drops the least recently used inboxes from memory. */
  #makeRoom(wanted: number): void {
    const { isBusy, maxPages = MAX_PAGES } = this.#options;
    let pages = wanted;
    for (const index of this.#loaded.values()) pages += index.pages.length;
    for (const [userId, index] of this.#loaded) {
      if (pages <= maxPages) return;
      if (this.#queues.has(userId) || isBusy(userId)) continue;
      this.#loaded.delete(userId);
      pages -= index.pages.length;
    }
  }
}
