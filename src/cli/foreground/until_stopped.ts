/**
 * Waiting for the end that the user asks for.
 *
 * @module
 */
import type { Context } from "../session/context.ts";

export interface Stopped {
  /** Resolves when the user stops the program, or its terminal has gone. */
  readonly promise: Promise<void>;
  /** Gives the signals back to the program. */
  release(): void;
}

const STOPPING: ReadonlySet<Deno.Signal> = new Set(["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"]);

/** Waits for SIGINT, SIGTERM, or the SIGHUP of a terminal that is closed; a second one ends at once. */
export function untilStopped(
  ctx: Pick<Context, "signal" | "takeSignals">,
  onSecond: () => void = () => Deno.exit(130),
): Stopped {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = ctx.signal.aborted;
  if (asked) resolve();
  ctx.signal.addEventListener("abort", () => resolve(), { once: true });
  const release = ctx.takeSignals((signal) => {
    if (!STOPPING.has(signal)) return;
    if (asked) return onSecond();
    asked = true;
    resolve();
  });
  return { promise, release };
}
