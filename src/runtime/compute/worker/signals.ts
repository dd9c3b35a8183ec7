/**
 * @module Signals as a server receives them. The process's own signals go to the platform, which
 * then asks its servers to stop.
 */

type Listener = () => void;

/** Calls a signal's listeners. Returns false if there are none. */
export type EmitSignal = (signal: Deno.Signal) => boolean;

/**
 * Separates the server's listeners from the process's signals. Otherwise, a Ctrl-C in the
 * platform's terminal would reach the server's listeners during requests. The same functions also
 * add listeners from `node:process`.
 */
export function separateSignals(): EmitSignal {
  const listeners = new Map<string, Set<Listener>>();
  const replaced = {
    addSignalListener(signal: string, listener: Listener): void {
      const known = listeners.get(signal) ?? new Set();
      listeners.set(signal, known.add(listener));
    },
    removeSignalListener(signal: string, listener: Listener): void {
      listeners.get(signal)?.delete(listener);
    },
  };
  Object.assign(Deno, replaced);
  return (signal) => {
    const called = [...listeners.get(signal) ?? []];
    for (const listener of called) queueMicrotask(() => listener());
    return called.length > 0;
  };
}
