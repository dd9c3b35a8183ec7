/**
 * Compares the responses from the old and the new deployment in a rolling release. Pure.
 *
 * @module
 */
import { Distribution, type EncodedDistribution } from "../../traffic/mod.ts";

/** The requests to one side of a release, which is the old or the new deployment. */
export interface SideCounts {
  readonly requests: number;
  /** Numbers of responses with status 400 or more, and with status 500 or more. */
  readonly errors: number;
  readonly failures: number;
  readonly times: EncodedDistribution;
}

/** Minimum number of requests to the new side before it is judged. */
const MIN_REQUESTS = 20;
/**
 * Minimum number of requests to the old side for comparing responses with status 400 or more.
 * Nearly every site has some, for example because browsers request icons that do not exist.
 */
const MIN_COMPARED = 20;

/**
 * Maximum rates of responses with status 500 or more (`FAILURES`) and 400 or more (`ERRORS`) on the
 * new side: `times` the rate on the old side, or the rate plus `more` if that is higher.
 */
const FAILURES = { times: 2, more: 0.02 } as const;
const ERRORS = { times: 2, more: 0.1 } as const;
/** Maximum p95 on the new side, calculated in the same way; `more` is in milliseconds. */
const SLOWER = { times: 2, more: 500 } as const;
/** Minimum number of requests on each side for comparing the p95. */
const MIN_TIMED = 50;

export const NO_COUNTS: SideCounts = { requests: 0, errors: 0, failures: 0, times: [] };

/** Adds up the counts of several processes. */
export function addCounts(counts: readonly SideCounts[]): SideCounts {
  const times = new Distribution();
  let [requests, errors, failures] = [0, 0, 0];
  for (const each of counts) {
    requests += each.requests;
    errors += each.errors;
    failures += each.failures;
    times.merge(each.times);
  }
  return { requests, errors, failures, times: times.encode() };
}

/**
 * Returns the time in milliseconds that 95% of the responses do not exceed; `null` if there are no
 * responses.
 */
export function p95Of({ times }: SideCounts): number | null {
  const all = new Distribution();
  all.merge(times);
  return all.quantile(0.95);
}

const percent = (rate: number): string => `${Math.round(rate * 1000) / 10}%`;

/** Returns why the release must be rolled back; `undefined` if it may continue. */
export function judgeRelease(
  { old, fresh }: { readonly old: SideCounts; readonly fresh: SideCounts },
): string | undefined {
  if (fresh.requests < MIN_REQUESTS) return undefined;
  const worse = (
    name: "failures" | "errors",
    words: string,
    { times, more }: { readonly times: number; readonly more: number },
  ) => {
    const before = old.requests === 0 ? 0 : old[name] / old.requests;
    const after = fresh[name] / fresh.requests;
    if (after < before * times || after < before + more) return undefined;
    return `${fresh[name]} of ${fresh.requests} responses from the new deployment ${words} ` +
      `(${percent(after)}), compared with ${old[name]} of ${old.requests} from the old one (${
        percent(before)
      })`;
  };
  return worse("failures", "have status 500 or more", FAILURES) ??
    (old.requests < MIN_COMPARED
      ? undefined
      : worse("errors", "have status 400 or more", ERRORS)) ??
    slower(old, fresh);
}

function slower(old: SideCounts, fresh: SideCounts): string | undefined {
  if (Math.min(old.requests, fresh.requests) < MIN_TIMED) return undefined;
  const [before, after] = [p95Of(old)!, p95Of(fresh)!];
  if (after < before * SLOWER.times || after < before + SLOWER.more) return undefined;
  return `95% of the responses from the new deployment take up to ${Math.round(after)} ms, ` +
    `compared with ${Math.round(before)} ms for the old one`;
}
