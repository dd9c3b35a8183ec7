/**
 * Sends one channel's due messages. Limits how many are sent at a time in total, per host and per
 * owner, and sends nothing to a host that is down. Each channel has its own worker, so channels do
 * not wait for each other.
 *
 * @module
 */
import type { Clock, Random } from "../../../lib/clock.ts";
import { formatCount } from "../../../lib/format.ts";
import { uuidV7 } from "../../../lib/ids.ts";
import type { Channel, Delivery, SendOutcome } from "./channel.ts";
import type { Claims } from "../../core/nodes/mod.ts";
import type { Claim, DeliveryStore, DueEntry } from "./delivery_store.ts";
import { HostHealth } from "./host_health.ts";
import type { Job } from "./job.ts";
import { decideRetry, fraction } from "./retry_policy.ts";
import type { ReviewDelivery } from "./types.ts";

interface WorkerParts {
  readonly store: DeliveryStore;
  readonly review: ReviewDelivery;
  /** Shared claims, if other nodes also send messages. */
  readonly claims?: Claims | undefined;
  readonly now: Clock;
  readonly random: Random;
  onTrouble(message: string): void;
}

/**
 * Number of due entries that one scan reads. The next scan continues after these entries, to find
 * messages for other hosts.
 */
const LOOKAHEAD = 1000;
/** Maximum time to sleep, in milliseconds. Clocks can be changed, and timers have a maximum. */
const LONGEST_SLEEP_MS = 60_000;
/** Maximum wait for messages in progress when the platform stops, in milliseconds. */
const CLOSE_MS = 5000;
/** Pause after a failure of the store, in milliseconds. */
const STORE_PAUSE_MS = 1000;
/**
 * Maximum wait for messages that other nodes have claimed, in milliseconds. Such a node may exit
 * without settling its messages.
 */
const HELD_PAUSE_MS = 3000;
/** Pause before a retry of a message whose records could not be read, in milliseconds. */
const BROKEN_PAUSE_MS = 60_000;
/** Period over which to spread the messages that were waiting for a host, in milliseconds. */
const SPREAD_MS = 1000;

/** Why a resent message is still a dead letter. */
const UNWANTED = "Not sent: turned off in the recipient's preferences, or held back by quiet hours";

type Running = { readonly host: string; readonly owner: string; readonly done: Promise<void> };

export class ChannelWorker {
  readonly #running = new Map<string, Running>();
  readonly #health: HostHealth;
  /**
   * Messages whose delivery attempts finished after the current scan started. The scan's list still
   * contains them.
   */
  readonly #ended = new Set<string>();
  /** How many messages have been started or postponed so far. */
  #progress = 0;
  /**
   * The start of the next scan: after messages to busy hosts, or otherwise at the first message.
   */
  #behind: DueEntry | undefined;
  /**
   * Whether a delivery attempt has finished since the last scan that started from the first
   * message.
   */
  #hasNewRoom = false;
  #looks: Promise<unknown> = Promise.resolve();
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #state: "idle" | "live" | "closed" = "idle";

  readonly #channel: Channel;
  readonly #parts: WorkerParts;

  constructor(channel: Channel, parts: WorkerParts) {
    this.#channel = channel;
    this.#parts = parts;
    this.#health = new HostHealth(parts.now, parts.random);
  }

  start(): void {
    this.#state = "live";
    this.wake();
  }

  /** Wakes the worker, because there may be work. */
  wake(): void {
    if (this.#state !== "live") return;
    if (this.#looking !== undefined) {
      this.#lookAgain = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#looking = this.#lookUntilQuiet().catch((cause) => {
      this.#parts.onTrouble(`Cannot read the ${this.#channel.name} queue: ${cause}`);
      return STORE_PAUSE_MS;
    }).then((sleepMs) => {
      this.#looking = undefined;
      if (this.#state !== "live") return;
      this.#timer = setTimeout(() => this.wake(), Math.min(sleepMs, LONGEST_SLEEP_MS));
    });
  }

  /** Sends everything that is due now. Resolves when all of it has been sent. */
  async drain(): Promise<void> {
    for (;;) {
      const wasQuiet = this.#running.size === 0 && this.#behind === undefined;
      const before = this.#progress;
      await this.#look();
      if (wasQuiet && this.#progress === before && this.#behind === undefined) return;
      if (this.#running.size > 0 && this.#behind === undefined) {
        await Promise.race([...this.#running.values()].map(({ done }) => done));
      }
    }
  }

  /**
   * Stops, and waits a while for messages in progress. The remaining messages are sent after a
   * restart.
   */
  async close(): Promise<void> {
    this.#state = "closed";
    clearTimeout(this.#timer);
    await this.#looking;
    let grace: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<void>((resolve) => grace = setTimeout(resolve, CLOSE_MS));
    const finished = Promise.all([...this.#running.values()].map(({ done }) => done));
    await Promise.race([finished, over]);
    clearTimeout(grace);
  }

  async #lookUntilQuiet(): Promise<number> {
    let sleepMs: number;
    do {
      this.#lookAgain = false;
      sleepMs = await this.#look();
    } while (this.#lookAgain);
    return sleepMs;
  }

  /**
   * Starts due messages within the limits. Returns the number of milliseconds until more are due.
   */
  #look(): Promise<number> {
    const look = this.#looks.then(() => this.#lookOnce());
    this.#looks = look.catch(() => {});
    return look;
  }

  async #lookOnce(): Promise<number> {
    this.#ended.clear();
    const { concurrency, perHost, perOwner = concurrency } = this.#channel.limits;
    const beyondShare: DueEntry[] = [];
    const now = this.#parts.now();
    const later: (DueEntry & { until: number })[] = [];
    const held = await this.#heldElsewhere();
    let next = held === undefined || held.size === 0 ? LONGEST_SLEEP_MS : HELD_PAUSE_MS;
    let left = LOOKAHEAD;
    let last: DueEntry | undefined;
    const behind = this.#behind;
    this.#behind = undefined;
    if (behind === undefined) this.#hasNewRoom = false;
    for await (
      const entry of this.#parts.store.due(this.#channel.name, { batchSize: 100, behind })
    ) {
      if (entry.at > now) {
        next = Math.min(next, entry.at - now);
        break;
      }
      if (this.#state === "closed" || this.#running.size >= concurrency) break;
      if (left-- === 0) {
        this.#behind = last;
        next = 0;
        break;
      }
      last = entry;
      if (this.#running.has(entry.id) || this.#ended.has(entry.id)) continue;
      if (held?.has(entry.id) === true) continue;
      const wait = this.#health.wait(entry.host);
      if (wait > 0) {
        const until = Math.ceil(now + wait + fraction(this.#parts.random) * SPREAD_MS);
        later.push({ ...entry, until });
      } else if (this.#countRunning("host", entry) < perHost) {
        if (this.#countRunning("owner", entry) < perOwner) this.#run(entry);
        else if (beyondShare.length < concurrency) beyondShare.push(entry);
      }
    }
    this.#runBeyondShare(beyondShare);
    if (later.length > 0) {
      await this.#postpone(later);
      this.#progress += later.length;
      for (const { until } of later) next = Math.min(next, until - now);
    }
    const isRoundOver = behind !== undefined && this.#behind === undefined;
    return isRoundOver && this.#hasNewRoom ? 0 : next;
  }

  async #heldElsewhere(): Promise<ReadonlySet<string> | undefined> {
    const { store, claims } = this.#parts;
    return claims && await store.heldElsewhere(claims, this.#channel.name);
  }

  async #postpone(entries: readonly (DueEntry & { readonly until: number })[]) {
    const { store, claims } = this.#parts;
    if (claims === undefined) return await store.postpone(this.#channel.name, entries);
    await Promise.all(
      entries.map((entry) =>
        store.putOff(this.#channel.name, entry, { until: entry.until, claim: undefined })
      ),
    );
  }

  /**
   * Gives spare slots to owners that have used up their share of the slots, but keeps one full
   * share free for other owners.
   */
  #runBeyondShare(entries: readonly DueEntry[]): void {
    const { concurrency, perHost, perOwner = concurrency } = this.#channel.limits;
    for (const entry of entries) {
      if (this.#state === "closed" || this.#running.size >= concurrency - perOwner) return;
      if (this.#countRunning("host", entry) < perHost) this.#run(entry);
    }
  }

  /** Counts the messages in progress to the same host or from the same owner. */
  #countRunning(by: "host" | "owner", entry: DueEntry): number {
    let count = 0;
    for (const each of this.#running.values()) if (each[by] === entry[by]) count++;
    return count;
  }

  #run(entry: DueEntry): void {
    this.#progress++;
    this.#health.begin(entry.host);
    const done = this.#performClaimed(entry).finally(() => {
      this.#running.delete(entry.id);
      this.#ended.add(entry.id);
      this.#hasNewRoom = true;
      this.wake();
    });
    this.#running.set(entry.id, { host: entry.host, owner: entry.owner, done });
  }

  async #performClaimed(entry: DueEntry): Promise<void> {
    const { store, claims, onTrouble } = this.#parts;
    let claim: Claim;
    try {
      claim = claims && await store.claim(claims, this.#channel.name, entry);
    } catch (cause) {
      return onTrouble(`Cannot claim a message for ${this.#channel.name}: ${cause}`);
    }
    if (claims !== undefined && claim === undefined) return this.#health.unknown(entry.host);
    await this.#perform(entry, claim).catch((cause) => this.#setAside(entry, { cause, claim }));
  }

  /** Postpones a message, because an immediate retry would fail again. */
  async #setAside(
    entry: DueEntry,
    { cause, claim }: { readonly cause: unknown; readonly claim: Claim },
  ): Promise<void> {
    const { store, now, onTrouble } = this.#parts;
    onTrouble(`Cannot settle a message for ${this.#channel.name}: ${cause}. It will be retried`);
    this.#health.unknown(entry.host);
    const until = now() + BROKEN_PAUSE_MS;
    const postponed = claim === undefined
      ? store.postpone(this.#channel.name, [{ ...entry, until }])
      : store.putOff(this.#channel.name, entry, { until, claim });
    await postponed
      .catch((error) => onTrouble(`Cannot postpone a message: ${error}`));
  }

  async #perform(entry: DueEntry, claim: Claim): Promise<void> {
    const { store, review } = this.#parts;
    const found = await store.find(entry.id);
    if (found === undefined || found.dead !== null) {
      this.#health.unknown(entry.host);
      return await store.dropDue(this.#channel.name, entry, claim);
    }
    const job = await store.closeDigest(found);
    const { contents, total } = await store.contentsOf(job, await review(job));
    if (total === 0) {
      this.#health.unknown(entry.host);
      return await this.#leaveOut(job, entry.at, claim);
    }
    const delivery: Delivery = {
      id: job.id,
      receiverId: job.target,
      userId: job.userId,
      contents,
      total,
      attempt: job.attempts + 1,
    };
    const outcome = await this.#attempt(delivery);
    this.#judgeHost(entry.host, outcome);
    const attempted = { ...job, attempts: delivery.attempt };
    await this.#settle(attempted, { entry, claim, outcome, delivery });
  }

  /**
   * Discards a message that is no longer wanted. If it was a resent message, it stays a dead
   * letter.
   */
  async #leaveOut(job: Job, dueAt: number, claim: Claim): Promise<void> {
    const { store, now, random } = this.#parts;
    if (!job.resent) return await store.settle(job, dueAt, claim);
    const dead = { letterId: uuidV7(now, random), at: now() };
    await store.bury({ ...job, lastReason: UNWANTED, dead }, dueAt, claim);
  }

  async #attempt(delivery: Delivery): Promise<SendOutcome> {
    try {
      return await this.#channel.send(delivery);
    } catch (cause) {
      this.#parts.onTrouble(`The channel ${this.#channel.name} failed: ${cause}`);
      return { type: "retry", reason: "The platform failed to send it", hostTrouble: false };
    }
  }

  #judgeHost(host: string, outcome: SendOutcome): void {
    if (outcome.type !== "retry") return this.#health.well(host);
    const { hostTrouble, retryAfterMs } = outcome;
    if (hostTrouble || retryAfterMs !== undefined) this.#health.trouble(host, retryAfterMs);
    else this.#health.unknown(host);
  }

  async #settle(job: Job, result: {
    readonly entry: DueEntry;
    readonly claim: Claim;
    readonly outcome: SendOutcome;
    readonly delivery: Delivery;
  }): Promise<void> {
    const { entry, claim, outcome, delivery } = result;
    const { store, now, random } = this.#parts;
    if (outcome.type === "sent" || outcome.type === "gone") {
      return await store.settle(job, entry.at, claim);
    }
    let lastReason = outcome.reason;
    if (outcome.type === "retry") {
      const { retryAfterMs, hostTrouble } = outcome;
      const decision = decideRetry(job, {
        limits: this.#channel.limits,
        now: now(),
        random,
        hostTrouble,
        retryAfterMs,
      });
      if (decision.type === "again") {
        const times = { from: entry.at, to: decision.at };
        return await store.reschedule({ ...job, lastReason }, times, claim);
      }
      lastReason += decision.because === "age"
        ? " (gave up: it is too old)"
        : ` (gave up after ${formatCount(job.attempts, "attempt")})`;
    }
    const dead = { letterId: uuidV7(now, random), at: now() };
    await store.bury({ ...job, lastReason, dead }, entry.at, claim);
    await this.#channel.onGivenUp?.(delivery, lastReason);
  }
}
