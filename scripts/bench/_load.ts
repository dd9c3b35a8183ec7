/**
 * Generates load over HTTP/1.1 with wrk and over HTTP/2 with h2load (both from Debian), and returns
 * the results. Certificates are not checked.
 *
 * @module
 */
import { join } from "node:path";
import { hear } from "../_process.ts";
import { readH2load } from "./_h2load.ts";
import type { Measured } from "./_measured.ts";
import { processorTime } from "./_processor_time.ts";

/** HTTP/1.1 over plain TCP, HTTP/1.1 over TLS, HTTP/2 over TLS. */
export type Protocol = "http" | "https" | "h2";

export const PROTOCOLS: readonly Protocol[] = ["http", "https", "h2"];

/** The names of the protocols in tables. */
export const PROTOCOL_NAMES: Readonly<Record<Protocol, string>> = {
  http: "HTTP/1.1",
  https: "HTTP/1.1 over TLS",
  h2: "HTTP/2 over TLS",
};

export interface Load {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  /** Duration of the load in seconds, at most 10. */
  readonly seconds: number;
  /** Header fields of each request, in addition to `Host`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A Lua script that creates wrk's requests, if one path is not enough. */
  readonly script?: string;
  /** Paths that h2load requests in turn, if one is not enough. */
  readonly paths?: readonly string[];
  /** `refusal` if the measured response is an error; `success` by default. */
  readonly expects?: "success" | "refusal";
  /**
   * Connections with one request at a time; 32 by default. HTTP/2 uses a quarter as many
   * connections with four streams each, for the same number of parallel requests.
   */
  readonly connections?: number;
  /** `http` by default. */
  readonly protocol?: Protocol;
}

const CONNECTIONS = 32;
const STREAMS = 4;
const MOST_SECONDS = 10;

const MILLISECONDS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

/** Parses wrk's report. Throws if there were unexpected errors: such a rate is meaningless. */
export function readReport(report: string, expects: "success" | "refusal" = "success"): Measured {
  const trouble = expects === "refusal"
    ? /^\s*Socket errors: .*$/m.exec(report)?.[0]
    : /^\s*(?:Non-2xx or 3xx responses|Socket errors): .*$/m.exec(report)?.[0];
  if (trouble !== undefined && !/connect 0, read 0, write 0, timeout 0/.test(trouble)) {
    throw new Error(`Cannot measure: ${trouble.trim()}`);
  }
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(report)?.[1];
  const [, value, unit] = /99%\s+([\d.]+)(us|ms|s|m)\b/.exec(report) ?? [];
  const requests = /^\s*(\d+) requests in /m.exec(report)?.[1];
  if (rate === undefined || value === undefined || requests === undefined) {
    throw new Error(`Cannot read wrk's report: ${report}`);
  }
  return {
    requestsPerSecond: Number(rate),
    requests: Number(requests),
    p99: Number(value) * MILLISECONDS[unit!]!,
  };
}

const headerArguments = ({ headers = {} }: Load): string[] =>
  Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);

async function loadByWrk(given: Load): Promise<Measured> {
  const told = await hear([
    "wrk",
    "--latency",
    "--threads",
    "1",
    "--connections",
    String(given.connections ?? CONNECTIONS),
    "--duration",
    `${Math.min(given.seconds, MOST_SECONDS)}s`,
    "--header",
    `Host: ${given.host}:${given.port}`,
    ...headerArguments(given),
    ...(given.script === undefined ? [] : ["--script", given.script]),
    `${given.protocol ?? "http"}://127.0.0.1:${given.port}${given.path}`,
  ]);
  if (told.code !== 0) throw new Error(`wrk failed: ${told.stderr}${told.stdout}`);
  return readReport(told.stdout, given.expects);
}

async function loadByH2load(given: Load): Promise<Measured> {
  const atOnce = given.connections ?? CONNECTIONS;
  const streams = Math.min(STREAMS, atOnce);
  const folder = await Deno.makeTempDir({ prefix: "svc-h2load-" });
  try {
    const logFile = join(folder, "requests.log");
    const paths = given.paths ?? [given.path];
    const told = await hear([
      "h2load",
      "--threads",
      "1",
      "--clients",
      String(Math.ceil(atOnce / streams)),
      "--max-concurrent-streams",
      String(streams),
      "--duration",
      String(Math.min(given.seconds, MOST_SECONDS)),
      "--npn-list",
      "h2",
      "--log-file",
      logFile,
      ...headerArguments(given),
      `--connect-to=127.0.0.1:${given.port}`,
      ...paths.map((path) => `https://${given.host}:${given.port}${path}`),
    ]);
    if (told.code !== 0) throw new Error(`h2load failed: ${told.stderr}${told.stdout}`);
    const log = await Deno.readTextFile(logFile);
    const { expects } = given;
    return readH2load({ report: told.stdout, log, ...(expects === undefined ? {} : { expects }) });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Puts load on one server over the loopback interface. */
export function load(given: Load): Promise<Measured> {
  return given.protocol === "h2" ? loadByH2load(given) : loadByWrk(given);
}

/** The performance of a server under load, with the CPU time that it used. */
export interface Cost extends Measured {
  /** CPU time that the server and its child processes use per request, in microseconds. */
  readonly processorUs: number;
}

/** Puts load on a process's server, and measures the CPU time that the process uses. */
export async function loadProcess(given: Load & { readonly pid: number }): Promise<Cost> {
  const before = processorTime(given.pid);
  const measured = await load(given);
  const spent = processorTime(given.pid) - before;
  return { ...measured, processorUs: spent * 1000 / measured.requests };
}
