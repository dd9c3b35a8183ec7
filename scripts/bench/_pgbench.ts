/**
 * Generates load with pgbench, a part of PostgreSQL.
 *
 * @module
 */
import { join } from "node:path";
import { hear } from "../_process.ts";
import { findPrograms } from "./_plain_postgres.ts";

export interface Load {
  /** `select` reads one row by its key. `tpcb` runs a transaction with five statements. */
  readonly script: "select" | "tpcb";
  readonly clients: number;
  readonly seconds: number;
}

/** Number of pgbench threads: no more than the machine can spare. */
const MOST_THREADS = 2;

/** Reads the number of transactions per second, not counting the time to connect. */
export function readPgbench(report: string): number {
  const failed = /^number of failed transactions: (\d+)/m.exec(report)?.[1];
  if (failed !== undefined && failed !== "0") {
    throw new Error(`pgbench had ${failed} failed transactions:\n${report}`);
  }
  const rate = /^tps = ([\d.]+) \(without initial connection time\)/m.exec(report)?.[1];
  if (rate === undefined) throw new Error(`pgbench reports no rate:\n${report}`);
  return Number(rate);
}

async function pgbench(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await hear([join(findPrograms(), "pgbench"), ...args]);
  if (code !== 0) throw new Error(`pgbench ${args.slice(0, -1).join(" ")}: ${stderr}${stdout}`);
  return stdout;
}

/** Creates the tables at scale 1: 100,000 accounts. */
export async function preparePgbench(url: string): Promise<void> {
  await pgbench(["--initialize", "--quiet", "--scale=1", url]);
}

/** Runs a load and returns the number of transactions per second. */
export async function runPgbench(url: string, load: Load): Promise<number> {
  return readPgbench(
    await pgbench([
      "--no-vacuum",
      `--time=${load.seconds}`,
      `--client=${load.clients}`,
      `--jobs=${Math.min(load.clients, MOST_THREADS)}`,
      ...(load.script === "select" ? ["--select-only"] : []),
      url,
    ]),
  );
}
