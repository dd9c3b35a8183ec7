/** @module Runs code while garbage is collected all the time, for tests. */

/** Maximum duration of the code, in milliseconds. Only a failing test takes that long. */
const PATIENCE_MS = 60_000;

/**
 * Runs a module in a new process that collects garbage every 10 ms, and returns what the module
 * prints. Deno 2.7 forgets a signal of `AbortSignal.any()` or of a request that only listeners
 * refer to, so code that depends on one hangs here.
 *
 * @throws if the module fails or does not finish in time
 */
export async function runCollected(code: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", "--v8-flags=--expose-gc", `setInterval(gc, 10);\n${code}`],
    cwd: import.meta.dirname!,
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).output();
  const [printed, failure] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (!success) throw new Error(`The code failed: ${failure}\nIt printed: ${printed}`);
  return printed!;
}
