/**
 * Signals, as a server receives them. Those of the process belong to the platform,
 * which asks its servers to end when it is time: a Ctrl-C there must not end a
 * server during requests.
 *
 * @module
 */
import process from "node:process";

const HELD_BACK = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type Emit = (this: unknown, event: string | symbol, ...args: unknown[]) => boolean;

/** Calls the server's listeners of SIGTERM; false if there are none. */
export type EmitTermination = () => boolean;

/** Keeps the signals of the process from the server's listeners, and from ending it. */
export function separateSignals(): EmitTermination {
  const ignore = (): void => {};
  const names: ReadonlySet<string | symbol> = new Set(HELD_BACK);
  const emit = process.emit as Emit;
  let isAsked = false;
  const replaced: Emit = function (event, ...args) {
    return names.has(event) && !isAsked ? true : emit.call(this, event, ...args);
  };
  // Node calls what is there when a signal gets its first listener.
  Reflect.set(process, "emit", replaced);
  for (const signal of HELD_BACK) process.on(signal, ignore);
  return () => {
    isAsked = true;
    for (const signal of HELD_BACK) process.removeListener(signal, ignore);
    return process.emit("SIGTERM", "SIGTERM");
  };
}
