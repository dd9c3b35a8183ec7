/** @module Waits until the user asks to stop. */
import type { Context } from "../session/context.ts";

export interface Stopped {
  /** Resolves when the user stops the program or the terminal closes. */
  readonly promise: Promise<void>;
  /** Restores the program's signal handling. */
  release(): void;
}

const STOPPING: ReadonlySet<Deno.Signal> = new Set(["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"]);

/**
 * Waits for SIGINT, SIGTERM, or the SIGHUP of a closed terminal. A second signal stops the program
 * immediately.
 */
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
