/**
 * Reports the requests that a front edge served, in batches, until the platform has received them.
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import type { AccessRecord } from "../../edge/mod.ts";
import type { Random } from "../../lib/clock.ts";
import { formatCount } from "../../lib/format.ts";
import { MAX_BATCH, MAX_FIELD, type ServedRequest } from "../../platform/edges/mod.ts";
import type { CountedRequest } from "../../traffic/mod.ts";
import type { PlatformClient } from "./platform_client.ts";

/**
 * Interval between batches, in milliseconds. If an edge is killed, the reports of one interval are
 * lost.
 */
const SEND_MS = 250;
/**
 * The same interval for an edge on the platform's machine. It is short, so the log is complete and
 * in order almost immediately.
 */
const LOCAL_SEND_MS = 20;
/** Interval of heartbeats from an edge without visitors, in milliseconds. */
const QUIET_MS = 5000;
/** Maximum time for the last batches when the edge stops, in milliseconds. */
const LAST_MS = 5000;
/**
 * Approximate maximum size of the waiting records while the platform is unreachable, in characters.
 * Further records are dropped.
 */
const MAX_WAITING = 32 * 1024 * 1024;
/** Approximate size of a batch, in characters. */
const BATCH_LENGTH = 1024 * 1024;
/** Assumed total length of the fields whose length is limited, in characters. */
const FIXED_LENGTH = 500;

type Waiting = { -readonly [Name in keyof ServedRequest]: ServedRequest[Name] };

interface Batch {
  readonly batch: number;
  readonly served: readonly ServedRequest[];
}

const lengthOf = ({ path, userAgent, error, rules, matched, counted }: ServedRequest): number =>
  FIXED_LENGTH + path.length + (userAgent?.length ?? 0) + (error?.length ?? 0) +
  (rules === undefined ? 0 : JSON.stringify(rules).length) + lengthOfIds(matched) +
  (counted?.referrer?.length ?? 0);

const lengthOfIds = (ids: readonly string[] = []): number =>
  ids.reduce((length, id) => length + id.length, 0);

interface ServedLogOptions {
  readonly client: Pick<PlatformClient, "send">;
  readonly random: Random;
  /** Whether the platform is on this machine. */
  readonly isLocal?: boolean | undefined;
  /** Returns whether the platform is reachable. */
  isThere(): boolean;
  onTrouble(message: string): void;
}

export class ServedLog {
  #waiting: Waiting[] = [];
  #waitingLength = 0;
  /** The most recently recorded request, which can be counted next. */
  #last: Waiting | undefined;
  /** The batch that the platform may not have received yet. */
  #unsent: Batch | undefined;
  #batches = 0;
  #leftOut = 0;
  #sentAt = performance.now();
  /** How long the last batch took, in milliseconds. */
  #roundTripMs: number | undefined;
  #sending: Promise<void> | undefined;
  readonly #process: string;
  readonly #timer: ReturnType<typeof setInterval>;
  /** Timer after which the waiting records are sent. */
  #soon: ReturnType<typeof setTimeout> | undefined;

  readonly #options: ServedLogOptions;

  constructor(options: ServedLogOptions) {
    this.#options = options;
    this.#process = options.random(16).toHex();
    this.#timer = setInterval(() => this.#sendIfThere(), SEND_MS);
  }

  readonly record = ({ rules, userAgent, error, edge: _, ...record }: AccessRecord): void => {
    this.#last = undefined;
    if (this.#waitingLength >= MAX_WAITING) {
      this.#leftOut++;
      return;
    }
    this.#last = {
      ...record,
      userAgent: userAgent?.slice(0, MAX_FIELD) ?? null,
      ...(error === undefined ? {} : { error: error.slice(0, MAX_FIELD) }),
      ...(rules === undefined ? {} : { rules: [...rules] }),
    };
    this.#waiting.push(this.#last);
    this.#waitingLength += lengthOf(this.#last);
    if (this.#options.isLocal === true) {
      this.#soon ??= setTimeout(() => {
        this.#soon = undefined;
        this.#sendIfThere();
      }, LOCAL_SEND_MS);
    }
    // The batch is sent in a later turn of the event loop, because the request is counted first, in
    // this turn.
    if (this.#waiting.length === MAX_BATCH) queueMicrotask(() => this.#send());
  };

  /** Counts the most recently recorded request. */
  readonly count = ({ layer, page, client }: CountedRequest): void => {
    if (this.#last === undefined) return;
    const referrer = client.header("referer")?.slice(0, MAX_FIELD) ?? null;
    const country = client.country();
    this.#last.counted = {
      layer,
      isPage: page !== undefined,
      referrer,
      country,
    };
    this.#waitingLength += referrer?.length ?? 0;
  };

  /** Counts the most recently recorded request for the rules that matched it. */
  readonly match = (ruleIds: readonly string[]): void => {
    if (this.#last === undefined || ruleIds.length === 0) return;
    this.#last.matched = [...ruleIds];
    this.#waitingLength += lengthOfIds(ruleIds);
  };

  /** Sends as many of the waiting records as the platform accepts. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    const until = performance.now() + LAST_MS;
    for (;;) {
      this.#send();
      await this.#sending;
      const left = this.#waiting.length + (this.#unsent?.served.length ?? 0);
      if (left === 0 || performance.now() > until) return;
      await delay(SEND_MS);
    }
  }

  #sendIfThere(): void {
    if (this.#options.isThere()) this.#send();
  }

  #send(): void {
    this.#sending ??= this.#sendAll().finally(() => this.#sending = undefined);
  }

  async #sendAll(): Promise<void> {
    const { client, onTrouble } = this.#options;
    const isQuiet = performance.now() - this.#sentAt < QUIET_MS;
    try {
      do {
        const { batch, served } = this.#unsent ??= this.#take();
        if (served.length === 0 && isQuiet) return void (this.#unsent = undefined);
        const began = performance.now();
        await client.send("served", {
          body: { process: this.#process, batch, served, roundTripMs: this.#roundTripMs },
        });
        this.#unsent = undefined;
        this.#sentAt = performance.now();
        this.#roundTripMs = Math.round(this.#sentAt - began);
      } while (this.#waiting.length > 0);
    } catch { /* the platform is unreachable, which the feed reports; the batch is sent later */ }
    if (this.#leftOut > 0 && this.#unsent === undefined) {
      const requests = formatCount(this.#leftOut, "request");
      onTrouble(`Omitted ${requests} from the platform's log: more arrived than could be sent`);
      this.#leftOut = 0;
    }
  }

  #take(): Batch {
    let length = 0;
    let count = 0;
    for (const each of this.#waiting.slice(0, MAX_BATCH)) {
      const more = lengthOf(each);
      if (count > 0 && length + more > BATCH_LENGTH) break;
      length += more;
      count++;
    }
    this.#waitingLength -= length;
    return { batch: ++this.#batches, served: this.#waiting.splice(0, count) };
  }
}
