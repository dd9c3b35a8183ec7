/**
 * Results of h2load (from Debian's nghttp2-client) over HTTP/2.
 *
 * @module
 */
import type { Measured } from "./_measured.ts";

interface H2loadOutput {
  /** The output of h2load. */
  readonly report: string;
  /**
   * Its `--log-file`: start in microseconds, status and duration in microseconds, separated by
   * tabs.
   */
  readonly log: string;
  /** `refusal` if the measured response is an error; `success` by default. */
  readonly expects?: "success" | "refusal";
}

const COUNTS = /^requests: .* (\d+) done, .* (\d+) failed, (\d+) errored, (\d+) timeout$/m;

/** Returns the duration that 99 of 100 requests do not exceed, in milliseconds. */
function p99Of(log: string): number {
  const durations = Float64Array.from(
    log.trimEnd().split("\n"),
    (line) => Number(line.slice(line.lastIndexOf("\t") + 1)),
  ).sort();
  return durations[Math.ceil(durations.length * 0.99) - 1]! / 1000;
}

/**
 * Parses h2load's report and log. Throws if there were unexpected errors or no responses, or if the
 * protocol was not HTTP/2: such a rate is meaningless.
 */
export function readH2load({ report, log, expects }: H2loadOutput): Measured {
  const rate = /^finished in .*?, ([\d.]+) req\/s/m.exec(report)?.[1];
  const [counts, done, failed, errored, late] = COUNTS.exec(report) ?? [];
  if (rate === undefined || counts === undefined) {
    throw new Error(`Cannot read h2load's report: ${report}`);
  }
  const lost = Number(late) + Number(expects === "refusal" ? errored : failed);
  if (lost > 0 || Number(done) === 0) throw new Error(`Cannot measure: ${counts}`);
  const protocol = /^Application protocol: (.+)$/m.exec(report)?.[1];
  if (protocol !== "h2") {
    throw new Error(`Cannot measure HTTP/2: the server chose ${protocol ?? "no protocol"}`);
  }
  return { requestsPerSecond: Number(rate), requests: Number(done), p99: p99Of(log) };
}
