/**
 * Signals, as a server hears them: those of the process are the platform's,
 * which tells its servers when they are to end.
 *
 * @module
 */

type Listener = () => void;

/** Calls the listeners of a signal; false where there is none. */
export type TellSignal = (signal: Deno.Signal) => boolean;

/**
 * Keeps listeners from the signals of the process: a Ctrl-C at the platform
 * would reach them while requests are under way. Those of `node:process` come
 * by the same functions.
 */
export function takeSignals(): TellSignal {
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
    const told = [...listeners.get(signal) ?? []];
    for (const listener of told) queueMicrotask(() => listener());
    return told.length > 0;
  };
}
