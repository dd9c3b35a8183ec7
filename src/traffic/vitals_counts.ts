/**
 * @module Visitors' web vitals as bounded counts, for a site and for its most viewed pages.
 *
 * The histograms' bins grow by a constant factor, so every quantile is accurate to within 5%. Each
 * page takes 2.2 KB. At most `MAX_VITAL_PAGES` pages are stored, although there can temporarily be
 * up to twice as many.
 */

/** LCP, INP, FCP and TTFB in milliseconds, CLS in thousandths. */
export const VITALS = ["lcp", "inp", "cls", "fcp", "ttfb"] as const;
type Vital = typeof VITALS[number];

/** Maximum number of pages with separately stored vitals. */
export const MAX_VITAL_PAGES = 20;

/** Maximum length of a page's path, in characters. The schema of beacons allows only ASCII. */
export const MAX_VITAL_PATH = 200;

const ACCURACY = 0.05;
const GROWTH = (1 + ACCURACY) / (1 - ACCURACY);
const LOG_GROWTH = Math.log(GROWTH);
/** Upper limit of the bins: one minute, or a layout shift of 60. */
const LARGEST = 60_000;
/** The number of bins. The first bin is for values up to 1, which count as zero. */
const BINS = Math.ceil(Math.log(LARGEST) / LOG_GROWTH) + 1;

/** A browser's measurements of one page view. Values that it cannot measure are missing. */
export type MeasuredVitals = Readonly<Partial<Record<Vital, number>>>;

/** Counts in the form in which they are stored and sent: at most 52 KB. */
export interface EncodedVitals {
  readonly all: Uint32Array;
  readonly pages: readonly (readonly [path: string, views: number, bins: Uint32Array])[];
}

/** The number of measurements and a quantile of one vital. */
export interface VitalQuantile {
  readonly count: number;
  /** The 75th percentile over all views. */
  readonly p75: number;
}
export type VitalQuantiles = Readonly<Partial<Record<Vital, VitalQuantile>>>;

const binOf = (value: number): number =>
  value > 1 ? Math.min(BINS - 1, Math.ceil(Math.log(value) / LOG_GROWTH)) : 0;

const middleOf = (bin: number): number => bin === 0 ? 0 : 2 * GROWTH ** bin / (GROWTH + 1);

/** The bins of all vitals, one vital after the other. */
class VitalBins {
  readonly bins = new Uint32Array(VITALS.length * BINS);

  add(measured: MeasuredVitals): void {
    VITALS.forEach((vital, at) => {
      const value = measured[vital];
      if (value !== undefined) this.bins[at * BINS + binOf(value)]!++;
    });
  }

  merge(bins: Uint32Array): void {
    if (bins.length !== this.bins.length) return;
    bins.forEach((count, bin) => this.bins[bin]! += count);
  }

  quantiles(): VitalQuantiles {
    return Object.fromEntries(VITALS.flatMap((vital, at) => {
      const bins = this.bins.subarray(at * BINS, (at + 1) * BINS);
      const count = bins.reduce((sum, one) => sum + one, 0);
      if (count === 0) return [];
      const rank = Math.ceil(0.75 * count);
      let seen = 0;
      const p75 = middleOf(bins.findIndex((one) => (seen += one) >= rank));
      return [[vital, { count, p75 }]];
    }));
  }
}

interface PageVitals {
  views: number;
  readonly vitals: VitalBins;
}

export class VitalsCounts {
  readonly #all = new VitalBins();
  readonly #pages = new Map<string, PageVitals>();

  add(path: string, measured: MeasuredVitals): void {
    this.#all.add(measured);
    const page = this.#pageOf(path);
    page.views++;
    page.vitals.add(measured);
    this.#bound(2 * MAX_VITAL_PAGES);
  }

  merge({ all, pages }: EncodedVitals): void {
    this.#all.merge(all);
    for (const [path, views, bins] of pages) {
      const page = this.#pageOf(path);
      page.views += views;
      page.vitals.merge(bins);
    }
    this.#bound(2 * MAX_VITAL_PAGES);
  }

  /** Returns the vitals of all views. */
  quantiles(): VitalQuantiles {
    return this.#all.quantiles();
  }

  /** Returns the pages with the most views. Some views of rarely viewed pages may be missing. */
  pages(limit: number): { readonly path: string; readonly vitals: VitalQuantiles }[] {
    return this.#sorted().slice(0, limit).map(([path, { vitals }]) => ({
      path,
      vitals: vitals.quantiles(),
    }));
  }

  encode(): EncodedVitals {
    this.#bound(MAX_VITAL_PAGES);
    return {
      all: this.#all.bins.slice(),
      pages: [...this.#pages].map(([path, { views, vitals }]) =>
        [path, views, vitals.bins.slice()] as const
      ),
    };
  }

  #pageOf(path: string): PageVitals {
    let page = this.#pages.get(path);
    if (page === undefined) this.#pages.set(path, page = { views: 0, vitals: new VitalBins() });
    return page;
  }

  #sorted(): [string, PageVitals][] {
    return [...this.#pages].sort((a, b) => b[1].views - a[1].views || (a[0] < b[0] ? -1 : 1));
  }

  /** If there are more than `most` pages, keeps only the `MAX_VITAL_PAGES` with the most views. */
  #bound(most: number): void {
    if (this.#pages.size <= most) return;
    for (const [path] of this.#sorted().slice(MAX_VITAL_PAGES)) this.#pages.delete(path);
  }
}
