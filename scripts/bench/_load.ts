/**
 * Load from wrk (Debian), and what it measured.
 *
 * @module
 */
import { hear } from "../_process.ts";

export interface Load {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  /** At most 10. */
  readonly seconds: number;
  /** Lua script that makes the requests, where one path is not enough. */
  readonly script?: string;
  /** `refusal` where the answer that is measured is an error; `success` where missing. */
  readonly expects?: "success" | "refusal";
  /** Connections at once; 32 where missing. */
  readonly connections?: number;
  /** `http` where missing. */
  readonly scheme?: "http" | "https";
}

export interface Measured {
  readonly requestsPerSecond: number;
  /** Latency of 99 of 100 requests, in milliseconds. */
  readonly p99: number;
}

const CONNECTIONS = 32;

const MILLISECONDS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

/** Reads wrk's report. Throws where answers were errors that were not meant: such a rate means nothing. */
export function readReport(report: string, expects: "success" | "refusal" = "success"): Measured {
  const trouble = expects === "refusal"
    ? /^\s*Socket errors: .*$/m.exec(report)?.[0]
    : /^\s*(?:Non-2xx or 3xx responses|Socket errors): .*$/m.exec(report)?.[0];
  if (trouble !== undefined && !/connect 0, read 0, write 0, timeout 0/.test(trouble)) {
    throw new Error(`Can not measure: ${trouble.trim()}`);
  }
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(report)?.[1];
  const [, value, unit] = /99%\s+([\d.]+)(us|ms|s|m)\b/.exec(report) ?? [];
  if (rate === undefined || value === undefined) {
    throw new Error(`Can not read wrk's report: ${report}`);
  }
  return { requestsPerSecond: Number(rate), p99: Number(value) * MILLISECONDS[unit!]! };
}

/** Puts one server under load over the loopback interface. */
export async function load(given: Load): Promise<Measured> {
  const told = await hear([
    "wrk",
    "--latency",
    "--threads",
    "1",
    "--connections",
    String(given.connections ?? CONNECTIONS),
    "--duration",
    `${Math.min(given.seconds, 10)}s`,
    "--header",
    `Host: ${given.host}:${given.port}`,
    ...(given.script === undefined ? [] : ["--script", given.script]),
    `${given.scheme ?? "http"}://127.0.0.1:${given.port}${given.path}`,
  ]);
  if (told.code !== 0) throw new Error(`wrk failed: ${told.stderr}${told.stdout}`);
  return readReport(told.stdout, given.expects);
}
