/** @module Counts an edge's requests by deployment. */
import { memoize, RecentMap } from "../lib/memo.ts";
import { type EncodedCounts, type Layer, TrafficCounts } from "./traffic_counts.ts";
import { dayOf, VisitorHash } from "./visitor_hash.ts";
import type { MeasuredVitals } from "./vitals_counts.ts";

interface CountedClient {
  /** IP address. */
  readonly ip: string;
  /** Returns a header of the request, such as `user-agent` or `referer`. */
  header(name: string): string | null;
  /** ISO 3166-1 alpha-2, in upper case. */
  country(): string | undefined;
  /** Device type, for example `mobile`; `bot` for clients other than browsers. */
  device(): string;
}

/** A request with its response. */
export interface CountedRequest {
  readonly projectId: string;
  readonly deploymentId: string;
  /** When the request arrived, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly host: string;
  readonly client: CountedClient;
  readonly layer: Layer;
  readonly status: number;
  /** The body's length; `null` if it is not known in advance. */
  readonly bytes: number | null;
  /** Time until the response headers were ready, in milliseconds. */
  readonly durationMs: number;
  /** The page's path; missing if the response is not a page. */
  readonly page: string | undefined;
}

/** A browser's measurements of one page view. */
export interface CountedVitals {
  readonly projectId: string;
  readonly deploymentId: string;
  readonly path: string;
  readonly vitals: MeasuredVitals;
}

export interface DeploymentCounts {
  readonly projectId: string;
  readonly deploymentId: string;
  readonly counts: EncodedCounts;
}

/**
 * Maximum length of a page's path and of a user agent, in characters. Longer ones are shortened.
 */
const MAX_PATH = 200;
const MAX_USER_AGENT = 512;

/** Maximum number of IP addresses whose country is cached, and of browsers whose hash is cached. */
const REMEMBERED_ADDRESSES = 4096;
const REMEMBERED_BROWSERS = 1024;

/** Delay before an unavailable salt is requested again, in milliseconds. */
const ASK_AGAIN_MS = 10_000;

const UNKNOWN = "unknown";

/** Returns the host in a `Referer` header; an empty string if there is none. */
function hostOfReferrer(referrer: string): string {
  const url = URL.parse(referrer);
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.hostname : "";
}

/** The hashes of one day's visitors. */
class DayOfVisitors {
  readonly #hash: VisitorHash;
  readonly #browser: (userAgent: string) => { readonly first: number; readonly second: number };

  constructor(salt: Uint8Array) {
    this.#hash = new VisitorHash(salt);
    this.#browser = memoize((userAgent) => this.#hash.browser(userAgent), REMEMBERED_BROWSERS);
  }

  addTo(counts: TrafficCounts, { ip, userAgent }: { ip: string; userAgent: string }): void {
    const browser = this.#browser(userAgent);
    counts.visitors.add(this.#hash.first(ip, browser), this.#hash.second(ip, browser));
  }
}

interface TrafficCounterOptions {
  /**
   * Returns the salt for a day, which is given as a number of days since the Unix epoch. The salt
   * is the same on all nodes.
   */
  salt(day: number): Promise<Uint8Array>;
  onError(error: unknown): void;
}

export class TrafficCounter {
  #deployments = new Map<string, { readonly projectId: string; readonly counts: TrafficCounts }>();
  readonly #countries = new RecentMap<string>(REMEMBERED_ADDRESSES);
  readonly #referrer = memoize(hostOfReferrer, REMEMBERED_BROWSERS);
  #day: number | undefined;
  /**
   * The time when the day's salt will be requested again; `Infinity` unless a request has failed.
   */
  #askAgainAt = Infinity;
  /** The hashes of the day's visitors; missing until the day's salt has arrived. */
  #visitors: DayOfVisitors | undefined;

  readonly #options: TrafficCounterOptions;

  constructor(options: TrafficCounterOptions) {
    this.#options = options;
  }

  /** Counts a request. Never waits and never throws. */
  readonly count = (request: CountedRequest): void => {
    const counts = this.#countsOf(request);
    const { client, page, layer, bytes } = request;
    counts.addAnswer(request.status, layer, request.durationMs);
    counts.bytes += bytes ?? 0;
    const device = client.device();
    if (device === "bot") {
      counts.bots++;
      return;
    }
    counts.lists.devices.add(device);
    counts.lists.countries.add(this.#countryOf(client));
    this.#visitorsOf(request.time)?.addTo(counts, {
      ip: client.ip,
      userAgent: (client.header("user-agent") ?? "").slice(0, MAX_USER_AGENT),
    });
    if (page !== undefined) this.#addPage(counts, request, page);
  };

  /** Counts a browser's measurements. */
  readonly countVitals = (measured: CountedVitals): void =>
    this.#countsOf(measured).addVitals(measured.path, measured.vitals);

  /** Fetches a day's salt before the first request needs it. */
  prepare(time: number): void {
    this.#visitorsOf(time);
  }

  /** Returns the counts since the previous call and resets them. */
  take(): DeploymentCounts[] {
    const taken = this.#deployments;
    this.#deployments = new Map();
    return [...taken].map(([deploymentId, { projectId, counts }]) => ({
      projectId,
      deploymentId,
      counts: counts.encode(),
    }));
  }

  #countsOf(
    { deploymentId, projectId }: Pick<CountedRequest, "deploymentId" | "projectId">,
  ): TrafficCounts {
    const known = this.#deployments.get(deploymentId);
    if (known !== undefined) return known.counts;
    const counts = new TrafficCounts();
    this.#deployments.set(deploymentId, { projectId, counts });
    return counts;
  }

  #addPage(counts: TrafficCounts, { client, host }: CountedRequest, page: string): void {
    counts.pageViews++;
    counts.lists.pages.add(page.length > MAX_PATH ? page.slice(0, MAX_PATH) : page);
    const referrer = client.header("referer");
    const from = referrer === null ? "" : this.#referrer(referrer);
    if (from !== "" && from !== host) counts.lists.referrers.add(from);
  }

  #countryOf(client: CountedClient): string {
    const known = this.#countries.get(client.ip);
    if (known !== undefined) return known;
    const country = client.country() ?? UNKNOWN;
    this.#countries.set(client.ip, country);
    return country;
  }

  #visitorsOf(time: number): DayOfVisitors | undefined {
    const day = dayOf(time);
    if (day !== this.#day || time >= this.#askAgainAt) {
      this.#day = day;
      this.#askAgainAt = Infinity;
      this.#visitors = undefined;
      this.#begin(day).catch((error) => {
        if (this.#day === day) this.#askAgainAt = time + ASK_AGAIN_MS;
        this.#options.onError(error);
      });
    }
    return this.#visitors;
  }

  async #begin(day: number): Promise<void> {
    const visitors = new DayOfVisitors(await this.#options.salt(day));
    if (this.#day === day) this.#visitors = visitors;
  }
}
