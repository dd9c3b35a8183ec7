/**
 * @module The `rate_limit` action: limits a client's requests in a sliding window.
 *
 * One limiter serves all sites of the process. The edge uses it as a hook in the rule evaluation,
 * which is synchronous:
 *
 * ```ts
 * const limiter = createRateLimiter({ now, seed: randomSeed(random) });
 *
 * evaluateRules(compiled, facts, {
 *   rateLimited(rule, action) {
 *     const scope = `${site.deploymentId}/${rule.id}`; // better: built once, with the site
 *     const verdict = limiter.check({ scope, facts }, action);
 *     // For any kind of response; copied, because the verdict object is reused.
 *     context.limits.push({ name: rule.id, ...verdict });
 *     return !verdict.allowed; // the evaluation handles shadow mode
 *   },
 * });
 * // On the 429:              ...refusalHeaders(context.limits)
 * // On every other response: ...rateLimitHeaders(context.limits)
 * ```
 *
 * The algorithm and its error are in `sliding_counts.ts`, the memory in `counter_table.ts`. Refused
 * requests do not count: a client that keeps trying is allowed at the rate of the limit.
 *
 * If the table has too few slots for all keys, a new key evicts the key in the same set that has
 * used the smallest fraction of its limit. The evicted key restarts at zero. A flood of new keys
 * evicts light users, while users near or over their limit stay. `evicted` counts evictions. Memory
 * never grows.
 */
import type { Clock, Random } from "../../lib/clock.ts";
import type { IpAddress, RateLimitKey } from "../../rules/mod.ts";
import { CounterTable, MAX_WINDOW_SECONDS, partMilliseconds } from "./counter_table.ts";
import { HalfSipHash, type HashKey } from "./half_sip_hash.ts";
import {
  countIn,
  hasRoom,
  heldBy,
  MAX_LIMIT,
  type Moment,
  partsUntilEmpty,
  partsUntilRoom,
  roomLeft,
  stepsOf,
} from "./sliding_counts.ts";

/** Default number of counters in a table: 2^20, which take 48 MiB. */
export const DEFAULT_SLOTS = 2 ** 20;

/** The request data that identifies a client for rate limits. */
export interface RateLimitFacts {
  readonly host: string;
  readonly path: string;
  /** Returns the client's address. An IPv4-mapped IPv6 address is returned as IPv4. */
  ip(): IpAddress | undefined;
}

export interface RateLimitSubject {
  /** Separates the counters of one rule from those of all other rules. */
  readonly scope: string;
  readonly facts: RateLimitFacts;
}

/** The fields of a `rate_limit` action that the limiter reads. */
export interface RateLimitPolicy {
  readonly limit: number;
  /** Seconds, 1 to 1023. */
  readonly windowSeconds: number;
  readonly key: RateLimitKey;
}

export interface RateLimitVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly windowSeconds: number;
  /** Number of requests that are still allowed now. */
  readonly remaining: number;
  /** Whole seconds until the full limit is available again, if no more requests arrive. */
  readonly resetSeconds: number;
  /**
   * Whole seconds until the next request is allowed, if no other request comes before it, or 0 if a
   * request is allowed now.
   */
  readonly retryAfterSeconds: number;
}

interface RateLimiterOptions {
  readonly now: Clock;
  /** Must be unpredictable to clients. */
  readonly seed: HashKey;
  /** Maximum number of keys to count at a time. Must be a power of two. Defaults to 2^20. */
  readonly slots?: number;
}

/** Creates a seed for a limiter. */
export function randomSeed(random: Random): HashKey {
  const view = new DataView(random(8).buffer);
  return { k0: view.getUint32(0), k1: view.getUint32(4) };
}

/** An IPv6 client has at least a /64 prefix, so the lower half of its address is ignored. */
const IPV6_HOST_BITS = 64n;

const KEY_KINDS: Readonly<Record<RateLimitKey, number>> = {
  ip: 1,
  ip_path: 2,
  ip_host: 3,
  host: 4,
};

/** Rounds up to seconds, ignoring floating-point error. */
function wholeSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000 - 1e-12);
}

export class RateLimiter {
  readonly #now: Clock;
  readonly #slots: number;
  readonly #hash: HalfSipHash;
  readonly #key = { low: 0, high: 0, windowSeconds: 0 };
  readonly #moment: { -readonly [Name in keyof Moment]: number } = {
    part: 0,
    fraction: 0,
    steps: 1,
  };
  readonly #verdict: { -readonly [Name in keyof RateLimitVerdict]: RateLimitVerdict[Name] } = {
    allowed: true,
    limit: 0,
    windowSeconds: 0,
    remaining: 0,
    resetSeconds: 0,
    retryAfterSeconds: 0,
  };
  #table: CounterTable | undefined;

  constructor(options: RateLimiterOptions) {
    this.#now = options.now;
    this.#slots = options.slots ?? DEFAULT_SLOTS;
    this.#hash = new HalfSipHash(options.seed);
  }

  /** Size of the table in bytes. The first counted request creates the table. */
  get byteLength(): number {
    return this.#table?.byteLength ?? 0;
  }

  /** Number of keys evicted while their counts still applied. */
  get evicted(): number {
    return this.#table?.evicted ?? 0;
  }

  /**
   * Counts a request if it is allowed. Takes constant time and allocates nothing for IPv4 clients.
   * The next call overwrites the verdict object.
   *
   * @throws {RangeError} if the window is not a whole number of seconds from 1 to 1023
   */
  check(subject: RateLimitSubject, policy: RateLimitPolicy): RateLimitVerdict {
    const { limit, windowSeconds } = policy;
    if (
      !Number.isInteger(windowSeconds) || windowSeconds < 1 || windowSeconds > MAX_WINDOW_SECONDS
    ) {
      throw new RangeError(
        `Cannot count over a window: its length must be a whole number of seconds from 1 to ${MAX_WINDOW_SECONDS}, but is ${windowSeconds}`,
      );
    }
    const table = this.#table ??= new CounterTable(this.#slots);
    this.#hashKey(subject, policy);
    const now = this.#now();
    const slot = table.claim(this.#key, now);
    const moment = this.#momentOf(now, table.part(slot), windowSeconds);
    const ring = table.ring(slot);
    let held = heldBy(ring, moment);
    const allowed = hasRoom(held, Math.min(limit, MAX_LIMIT));
    if (allowed) {
      held += 1;
      countIn(ring, moment);
    }
    table.setShare(slot, held / limit);
    const partLength = partMilliseconds(windowSeconds);
    const verdict = this.#verdict;
    verdict.allowed = allowed;
    verdict.limit = limit;
    verdict.windowSeconds = windowSeconds;
    verdict.remaining = roomLeft(held, limit);
    verdict.resetSeconds = wholeSeconds(partsUntilEmpty(ring, moment) * partLength);
    verdict.retryAfterSeconds = verdict.remaining > 0
      ? 0
      : Math.max(1, wholeSeconds(partsUntilRoom(ring, moment, limit) * partLength));
    return verdict;
  }

  /**
   * Returns the current time within the part in which the slot counts. If the clock has been set
   * back, returns the start of the part.
   */
  #momentOf(now: number, part: number, windowSeconds: number): Moment {
    const moment = this.#moment;
    const length = partMilliseconds(windowSeconds);
    moment.part = part;
    moment.steps = stepsOf(length);
    moment.fraction = Math.max(0, (now - part * length) / length);
    return moment;
  }

  #hashKey({ scope, facts }: RateLimitSubject, { key, windowSeconds }: RateLimitPolicy): void {
    const hash = this.#hash;
    hash.start();
    hash.addText(scope);
    if (key !== "host") this.#addAddress(facts.ip());
    if (key === "ip_path") hash.addText(facts.path);
    if (key === "ip_host" || key === "host") hash.addText(facts.host);
    hash.finish(KEY_KINDS[key]);
    this.#key.low = hash.low;
    this.#key.high = hash.high;
    this.#key.windowSeconds = windowSeconds;
  }

  /** Clients with an unknown address share one counter. */
  #addAddress(address: IpAddress | undefined): void {
    const hash = this.#hash;
    if (address === undefined) return hash.add(0);
    hash.add(address.family);
    if (address.family === 4) return hash.add(address.value);
    const network = address.value >> IPV6_HOST_BITS;
    hash.add(Number(network >> 32n) | 0);
    hash.add(Number(network & 0xffffffffn) | 0);
  }
}

/**
 * Creates a limiter.
 *
 * @throws {RangeError} On the first check, unless `slots` is a power of two
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  return new RateLimiter(options);
}
