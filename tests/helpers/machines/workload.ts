/**
 * Clients that continuously write to a platform and keep a ledger. Acknowledged writes must survive
 * every failure. Other writes may be lost.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ApiAnswer } from "../platform.ts";
import type { Machines } from "./machines.ts";

/** Writes of one kind. */
export interface Workload {
  readonly name: string;
  /** Delay between two writes, in milliseconds. */
  readonly pauseMs: number;
  /** Sends one write. Throws if it was not acknowledged. */
  write(): Promise<void>;
  /** Number of acknowledged writes. */
  readonly acknowledged: number;
  /** Throws if an acknowledged item does not exist or exists twice. */
  check(machines: Machines): Promise<void>;
}

/** A write that was rejected, or whose outcome is unknown. */
export class NotAcknowledgedError extends Error {
  override readonly name = "NotAcknowledgedError";
}

/** Statuses that a platform or its load balancer returns while part of the platform is down. */
const PASSING: ReadonlySet<number> = new Set([409, 502, 503, 504]);

/** Sends a request that must be acknowledged. Throws if an outage does not explain the status. */
export async function acknowledge(sending: Promise<ApiAnswer>): Promise<ApiAnswer["json"]> {
  const answer = await sending.catch((error: Error) => {
    throw new NotAcknowledgedError(error.message, { cause: error });
  });
  if (answer.status < 300) return answer.json;
  const text = `${answer.status} ${JSON.stringify(answer.json)}`;
  if (PASSING.has(answer.status)) throw new NotAcknowledgedError(text);
  throw new Error(`Refused for a reason unrelated to this test: ${text}`);
}

/**
 * Writes until `stop()` is called. `refused` lists the writes that were not acknowledged, with the
 * reasons. `ended` rejects if a write fails for a reason that no outage explains.
 */
export function keepWriting(workloads: readonly Workload[]) {
  const stopped = new AbortController();
  const refused: string[] = [];
  const run = async (workload: Workload): Promise<void> => {
    while (!stopped.signal.aborted) {
      try {
        await workload.write();
      } catch (error) {
        if (!(error instanceof NotAcknowledgedError)) throw error;
        refused.push(`${workload.name}: ${error.message}`);
      }
      await delay(workload.pauseMs, undefined, { signal: stopped.signal }).catch(() => {});
    }
  };
  const running = Promise.all(workloads.map(run));
  // `stop()` reports failures, so this rejection does not count as unhandled.
  running.catch(() => {});
  return {
    refused,
    ended: running,
    async stop(): Promise<void> {
      stopped.abort();
      await running;
    },
  };
}
