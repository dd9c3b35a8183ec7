/**
 * Delivers the messages of one queue in an environment. Only one process at a time delivers a
 * queue's messages, so the queue's limits apply across nodes. When that process exits, another one
 * takes over.
 *
 * @module
 */
import * as z from "zod";
import type { Clock, Random } from "../../lib/clock.ts";
import type { Check } from "../../store/mod.ts";
import type { Claims } from "../core/nodes/mod.ts";
import { keys, readRecord } from "../core/store/mod.ts";
import type { RecordStore } from "../../store/mod.ts";
import type { DeliveryOutcome, Target } from "./deliver_message.ts";
import type { QueueMessage, QueuePlace } from "./message.ts";
import type { DueEntry, Ending, QueueStore } from "./queue_store.ts";

/** Maximum time to sleep, in milliseconds. Clocks can be changed, and timers have a maximum. */
const LONGEST_SLEEP_MS = 60_000;
/** Pauses while no deployment declares the queue, and after a store failure, in milliseconds. */
const UNDECLARED_PAUSE_MS = 15_000;
const STORE_PAUSE_MS = 1_000;
/**
 * Maximum number of messages without a deployment that a scan skips, and number of entries to read
 * ahead.
 */
const MAX_UNDECLARED = 100;
const AHEAD = 10;
/** Maximum number of messages to read before they are delivered. Each can be up to 256 KiB long. */
const MAX_READ = 16;
/** Maximum wait for deliveries in progress when the platform stops, in milliseconds. */
const CLOSE_MS = 5_000;
/** How often the count of deliveries is stored, in milliseconds. */
const COUNT_MS = 5_000;

/**
 * Maximum delays before the second delivery, and before any later one, in milliseconds. Delays
 * double, with jitter in the upper half.
 */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60 * 60 * 1000;

const claimRecord = z.object({ holder: z.string() });

export interface QueueWorkerParts {
  readonly kv: RecordStore;
  readonly store: QueueStore;
  readonly claims: Claims;
  readonly now: Clock;
  readonly random: Random;
  /** Returns the deployment that receives a message; `undefined` if none declares the queue. */
  targetOf(place: QueuePlace, message: QueueMessage): Promise<Target | undefined>;
  deliver(target: Target, place: QueuePlace, message: QueueMessage): Promise<DeliveryOutcome>;
  /** Called for each stored result of a delivery, with the message's previous state. */
  ended?(place: QueuePlace, message: QueueMessage, ending: Ending): void;
  onTrouble(message: string): void;
}

/** Returns the time from an attempt (counted from 1) to the next one, in milliseconds. */
export function pauseAfter(attempt: number, random: Random): number {
  const bound = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 20));
  const [high = 0, low = 0] = random(2);
  return Math.ceil(bound * (0.5 + (high * 256 + low) / 65_536 / 2));
}

/** Returns the state of a message after a delivery. Pure. */
export function endingOf(
  outcome: Exclude<DeliveryOutcome, { readonly type: "stopped" }>,
  facts: {
    readonly attempt: number;
    readonly retries: number;
    readonly now: number;
    readonly random: Random;
  },
): Ending {
  if (outcome.type === "done") return outcome;
  const { attempt, retries, now, random } = facts;
  const { reason } = outcome;
  return attempt > retries
    ? { type: "dead", reason }
    : { type: "again", at: now + pauseAfter(attempt, random), reason };
}

interface DueMessage {
  readonly entry: DueEntry;
  /** The message; missing if only its entry remains. */
  readonly message: QueueMessage | undefined;
}

export class QueueWorker {
  readonly #running = new Map<string, Promise<void>>();
  /**
   * Entries that were settled since the current scan started. The scan's list may still contain
   * them.
   */
  readonly #ended = new Set<string>();
  #claim: Check | undefined;
  /** Maximum number of concurrent deliveries, as declared by the last message's deployment. */
  #concurrency = 1;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #countTimer: ReturnType<typeof setTimeout> | undefined;
  #done = 0;
  #closed = false;

  readonly #place: QueuePlace;
  readonly #parts: QueueWorkerParts;

  constructor(place: QueuePlace, parts: QueueWorkerParts) {
    this.#place = place;
    this.#parts = parts;
  }

  /** Number of deliveries in progress. */
  get running(): number {
    return this.#running.size;
  }

  /** Number of deliveries that the stored count does not include yet. */
  get uncounted(): number {
    return this.#done;
  }

  /** Looks for messages that are due. */
  wake(): void {
    if (this.#closed) return;
    if (this.#looking !== undefined) {
      this.#lookAgain = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#looking = this.#lookUntilQuiet().catch((cause) => {
      this.#parts.onTrouble(`Cannot read the queue ${this.#place[2]}: ${cause}`);
      return STORE_PAUSE_MS;
    }).then((sleepMs) => {
      this.#looking = undefined;
      if (this.#closed || sleepMs === undefined) return;
      this.#timer = setTimeout(() => this.wake(), Math.min(sleepMs, LONGEST_SLEEP_MS));
    });
  }

  /** Stops, waits a while for deliveries in progress, and releases the queue. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#looking;
    let grace: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<void>((resolve) => grace = setTimeout(resolve, CLOSE_MS));
    await Promise.race([Promise.all(this.#running.values()), over]);
    clearTimeout(grace);
    clearTimeout(this.#countTimer);
    await this.#storeCount().catch((error) => this.#parts.onTrouble(`${error}`));
    const claim = this.#claim;
    if (claim === undefined) return;
    await this.#parts.kv.atomic().check(claim).delete(claim.key).commit()
      .catch((error) => this.#parts.onTrouble(`Cannot release a queue: ${error}`));
  }

  async #lookUntilQuiet(): Promise<number | undefined> {
    let sleepMs: number | undefined;
    do {
      this.#lookAgain = false;
      sleepMs = await this.#look();
    } while (this.#lookAgain && !this.#closed);
    return sleepMs;
  }

  /**
   * Starts due deliveries within the limits. Returns the number of milliseconds to wait before the
   * next scan; `undefined` if none is needed.
   */
  async #look(): Promise<number | undefined> {
    if (!await this.#holds()) return LONGEST_SLEEP_MS;
    this.#ended.clear();
    let next: number | undefined;
    let undeclared = 0;
    for await (
      const { entry, message } of this.#due((wait) => next = Math.min(wait, next ?? wait))
    ) {
      if (this.#closed) return undefined;
      const started = await this.#start(entry, message);
      if (started === "full") return LONGEST_SLEEP_MS;
      if (started !== "undeclared") continue;
      next = Math.min(UNDECLARED_PAUSE_MS, next ?? UNDECLARED_PAUSE_MS);
      if (++undeclared === MAX_UNDECLARED) break;
    }
    if (next !== undefined || this.#running.size > 0 || this.#ended.size > 0) {
      return next ?? LONGEST_SLEEP_MS;
    }
    return await this.#forget() ? undefined : 0;
  }

  /**
   * Lists due entries with their messages. Reads only as many messages at a time as can be
   * delivered.
   */
  async *#due(onWait: (milliseconds: number) => void): AsyncGenerator<DueMessage> {
    const { store, now } = this.#parts;
    let entries: DueEntry[] = [];
    const read = async (): Promise<DueMessage[]> => {
      const found = entries;
      entries = [];
      const withMessage = async (entry: DueEntry) => {
        return { entry, message: await store.find(this.#place, entry.id) };
      };
      return await Promise.all(found.map(withMessage));
    };
    for await (const entry of store.due(this.#place, this.#concurrency + AHEAD)) {
      const wait = entry.at - now();
      if (wait > 0) {
        onWait(wait);
        break;
      }
      if (this.#running.has(entry.id) || this.#ended.has(entry.id)) continue;
      entries.push(entry);
      const room = this.#concurrency - this.#running.size;
      if (entries.length >= Math.min(room, MAX_READ)) yield* await read();
    }
    yield* await read();
  }

  /**
   * Returns whether this process delivers the queue's messages. Claims the queue unless another
   * live process has claimed it.
   */
  async #holds(): Promise<boolean> {
    const { kv, claims } = this.#parts;
    const key = keys.queueClaims(...this.#place);
    const found = await readRecord(kv, key, claimRecord);
    const versionstamp = found?.versionstamp ?? null;
    if (this.#claim !== undefined && this.#claim.versionstamp === versionstamp) return true;
    this.#claim = await claims.takeOver(found?.value.holder, async (holder) => {
      const taken = await kv.atomic().check({ key, versionstamp }).set(key, {
        holder: holder ?? "",
      })
        .commit();
      return taken.ok ? { key, versionstamp: taken.versionstamp } : undefined;
    });
    return this.#claim !== undefined;
  }

  /** Releases an empty queue, unless a message was sent in the meantime. */
  async #forget(): Promise<boolean> {
    const claim = this.#claim;
    if (claim === undefined) return true;
    const { store } = this.#parts;
    const activity = await store.activity(this.#place);
    for await (const _entry of store.due(this.#place, 1)) return false;
    await this.#storeCount();
    const { ok } = await this.#parts.kv.atomic().check(claim, activity)
      .delete(claim.key).delete(activity.key).commit();
    if (ok) this.#claim = undefined;
    return ok;
  }

  /**
   * Starts a delivery if a deployment declares the queue, and the queue's limit allows another
   * delivery.
   */
  async #start(
    entry: DueEntry,
    message: QueueMessage | undefined,
  ): Promise<"started" | "full" | "undeclared"> {
    const { store, targetOf } = this.#parts;
    if (message === undefined) {
      const ending = { type: "done" } as const;
      await store.end(this.#place, entry, { known: message, ending, fence: this.#fence() });
      return "started";
    }
    const target = await targetOf(this.#place, message);
    if (target === undefined) return "undeclared";
    this.#concurrency = target.queue.concurrency;
    if (this.#running.size >= this.#concurrency) return "full";
    const done = this.#perform(entry, message, target).finally(() => {
      this.#running.delete(entry.id);
      this.#ended.add(entry.id);
      this.wake();
    });
    this.#running.set(entry.id, done);
    return "started";
  }

  #fence(): readonly Check[] {
    return this.#claim === undefined ? [] : [this.#claim];
  }

  /** Delivers a message and stores the result. Never rejects. */
  async #perform(entry: DueEntry, message: QueueMessage, target: Target): Promise<void> {
    const { store, deliver, now, random, onTrouble } = this.#parts;
    try {
      const fence = this.#fence();
      const outcome = await deliver(target, this.#place, message);
      if (outcome.type === "stopped") return;
      const ending = endingOf(outcome, {
        attempt: message.attempts + 1,
        retries: target.queue.retries,
        now: now(),
        random,
      });
      // The outcome of a deleted message is not reported, nor is that of a message in a deleted
      // environment.
      if (!await store.end(this.#place, entry, { known: message, ending, fence })) return;
      if (ending.type === "done") this.#count();
      this.#parts.ended?.(this.#place, message, ending);
    } catch (error) {
      onTrouble(`Cannot settle a delivery of the queue ${this.#place[2]}: ${error}`);
      await new Promise((resolve) => setTimeout(resolve, STORE_PAUSE_MS));
    }
  }

  #count(): void {
    this.#done++;
    this.#countTimer ??= setTimeout(() => {
      this.#countTimer = undefined;
      this.#storeCount().catch((error) => this.#parts.onTrouble(`${error}`));
    }, COUNT_MS);
  }

  async #storeCount(): Promise<void> {
    const done = this.#done;
    if (done === 0) return;
    this.#done = 0;
    try {
      await this.#parts.store.countDone(this.#place, done);
    } catch (error) {
      this.#done += done;
      throw error;
    }
  }
}
