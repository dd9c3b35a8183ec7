/** @module Traffic over a period of time, as bounded counts that can be merged. */
import { DistinctCount, type EncodedDistinct } from "./distinct_count.ts";
import { Distribution, type EncodedDistribution } from "./distribution.ts";
import { type EncodedTopList, TopList } from "./top_list.ts";
import { type EncodedVitals, type MeasuredVitals, VitalsCounts } from "./vitals_counts.ts";

/** Sources of responses. */
export const LAYERS = ["static", "cache", "function", "server", "proxy", "rules"] as const;
export type Layer = typeof LAYERS[number];

/** The lists of counted values, each with its maximum length. */
const LISTS = { pages: 100, referrers: 50, countries: 60, devices: 8 } as const;
export type List = keyof typeof LISTS;
const LIST_NAMES = Object.keys(LISTS) as List[];

/** Counts in the form in which they are stored and sent: plain data, at most about 60 KiB. */
export interface EncodedCounts {
  readonly version: 1;
  readonly requests: number;
  readonly bots: number;
  readonly pageViews: number;
  readonly bytes: number;
  readonly statuses: readonly (readonly [number, number])[];
  readonly visitors: EncodedDistinct;
  readonly lists: Readonly<Record<List, EncodedTopList>>;
  readonly times: Readonly<Partial<Record<Layer, EncodedDistribution>>>;
  /**
   * Number of responses with a status of 500 or more, by layer; missing in counts from earlier
   * versions.
   */
  readonly failed?: Readonly<Partial<Record<Layer, number>>>;
  /** Web vitals; missing if no browser measured any. */
  readonly vitals?: EncodedVitals;
}

export class TrafficCounts {
  requests = 0;
  /**
   * Number of requests from crawlers, monitors and programs. Only the responses to such requests
   * are counted, not pages, visitors, countries or devices.
   */
  bots = 0;
  /** Number of page views by people. */
  pageViews = 0;
  /** Total size of bodies with a known length. */
  bytes = 0;
  readonly visitors = new DistinctCount();
  readonly lists: Readonly<Record<List, TopList>> = {
    pages: new TopList(LISTS.pages),
    referrers: new TopList(LISTS.referrers),
    countries: new TopList(LISTS.countries),
    devices: new TopList(LISTS.devices),
  };
  readonly #statuses = new Map<number, number>();
  readonly #times = new Map<Layer, Distribution>();
  readonly #failed = new Map<Layer, number>();
  #vitals: VitalsCounts | undefined;

  static decode(encoded: EncodedCounts): TrafficCounts {
    const counts = new TrafficCounts();
    counts.merge(encoded);
    return counts;
  }

  addAnswer(status: number, layer: Layer, durationMs: number): void {
    this.requests++;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    this.#timesOf(layer).add(durationMs);
    if (status >= 500) this.#failed.set(layer, this.failuresOf(layer) + 1);
  }

  addVitals(path: string, vitals: MeasuredVitals): void {
    (this.#vitals ??= new VitalsCounts()).add(path, vitals);
  }

  merge(encoded: EncodedCounts): void {
    this.requests += encoded.requests;
    this.bots += encoded.bots;
    this.pageViews += encoded.pageViews;
    this.bytes += encoded.bytes;
    for (const [status, count] of encoded.statuses) {
      this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + count);
    }
    if (encoded.vitals !== undefined) {
      (this.#vitals ??= new VitalsCounts()).merge(encoded.vitals);
    }
    this.visitors.merge(encoded.visitors);
    for (const name of LIST_NAMES) this.lists[name].merge(encoded.lists[name]);
    for (const layer of LAYERS) {
      const times = encoded.times[layer];
      if (times !== undefined) this.#timesOf(layer).merge(times);
      const failed = encoded.failed?.[layer];
      if (failed !== undefined) this.#failed.set(layer, this.failuresOf(layer) + failed);
    }
  }

  /** Returns the number of responses by status, lowest status first. */
  statuses(): readonly (readonly [number, number])[] {
    return [...this.#statuses].sort(([a], [b]) => a - b);
  }

  /** Returns the number of responses with a status of 500 or more. */
  failures(): number {
    return this.statuses().reduce((sum, [status, count]) => status < 500 ? sum : sum + count, 0);
  }

  /** Returns the number of a layer's responses with a status of 500 or more. */
  failuresOf(layer: Layer): number {
    return this.#failed.get(layer) ?? 0;
  }

  /** Returns the response times for each layer that has sent responses. */
  times(): ReadonlyMap<Layer, Distribution> {
    return this.#times;
  }

  /** Web vitals; `undefined` if no browser measured any. */
  vitals(): VitalsCounts | undefined {
    return this.#vitals;
  }

  encode(): EncodedCounts {
    const { requests, bots, pageViews, bytes, lists } = this;
    return {
      version: 1,
      requests,
      bots,
      pageViews,
      bytes,
      statuses: this.statuses(),
      visitors: this.visitors.encode(),
      lists: {
        pages: lists.pages.encode(),
        referrers: lists.referrers.encode(),
        countries: lists.countries.encode(),
        devices: lists.devices.encode(),
      },
      times: Object.fromEntries([...this.#times].map(([layer, times]) => [layer, times.encode()])),
      failed: Object.fromEntries(this.#failed),
      ...(this.#vitals === undefined ? {} : { vitals: this.#vitals.encode() }),
    };
  }

  #timesOf(layer: Layer): Distribution {
    let times = this.#times.get(layer);
    if (times === undefined) this.#times.set(layer, times = new Distribution());
    return times;
  }
}
