/**
 * Redis from Debian, configured to flush each write as svc does, and the results of its own
 * benchmark.
 *
 * @module
 */
import { unusedPort } from "../../src/lib/unused_port.ts";
import { hear } from "../_process.ts";

interface RedisLoad {
  /** Name of a test of `redis-benchmark`, such as `set` or `lpush`. */
  readonly test: string;
  readonly requests: number;
  readonly clients: number;
  readonly valueBytes: number;
  /** Number of keys, for tests that have several; 1 if missing. */
  readonly keys?: number;
}

export interface Redis {
  readonly pid: number;
  /** Returns the number of requests per second. */
  measure(load: RedisLoad): Promise<number>;
}

async function isAnswering(port: number): Promise<boolean> {
  const { stdout } = await hear(["redis-cli", "-p", String(port), "ping"]);
  return stdout.trim() === "PONG";
}

async function measure(
  port: number,
  { test, requests, clients, valueBytes, keys = 1 }: RedisLoad,
): Promise<number> {
  const options = { "-p": port, "-t": test, "-n": requests, "-c": clients, "-d": valueBytes };
  const args = Object.entries(options).flatMap(([name, value]) => [name, String(value)]);
  const command = ["redis-benchmark", ...args, "-r", String(keys), "--csv"] as const;
  const { code, stdout, stderr } = await hear(command);
  const rate = new RegExp(`^"${test}","([\\d.]+)"`, "im").exec(stdout)?.[1];
  if (code !== 0 || rate === undefined) throw new Error(`redis-benchmark: ${stderr}${stdout}`);
  return Number(rate);
}

/** Calls `run` with a Redis server that stores its files in `folder`. */
export async function withRedis<T>(folder: string, run: (redis: Redis) => Promise<T>): Promise<T> {
  const port = unusedPort();
  const place = ["--bind", "127.0.0.1", "--port", String(port), "--dir", folder];
  const flushed = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"];
  const child = new Deno.Command("redis-server", {
    args: [...place, ...flushed],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    const end = Date.now() + 10_000;
    while (!await isAnswering(port)) {
      if (Date.now() > end) throw new Error("redis-server does not respond");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return await run({ pid: child.pid, measure: (load) => measure(port, load) });
  } finally {
    child.kill("SIGTERM");
    await child.status;
  }
}
