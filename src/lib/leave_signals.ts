/** @module Signals that a terminal or a service manager sends to all processes of the platform. */

/**
 * Ignores signals that stop programs. The platform gets the same signals, and stops this process by
 * closing its standard input.
 */
export function leaveSignalsToPlatform(): void {
  const signals = Deno.build.os === "windows"
    ? ["SIGINT", "SIGBREAK"] as const
    : ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) Deno.addSignalListener(signal, () => {});
}
