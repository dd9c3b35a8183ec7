/** @module The signals that the process receives. */
import { EXIT } from "../exit_code.ts";
import type { Host, TakeSignals } from "../session/context.ts";

const onWindows = Deno.build.os === "windows";

/** Signals that stop this program. */
const STOPPING: readonly Deno.Signal[] = onWindows ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
/** Additional signals that are forwarded to a child process. */
const FURTHER: readonly Deno.Signal[] = onWindows
  ? ["SIGBREAK"]
  : ["SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];

interface Signals extends Pick<Host, "onSecondStop"> {
  /** Aborted at the first signal. */
  readonly stop: AbortSignal;
  readonly take: TakeSignals;
}

/**
 * The first signal asks the command to stop, and the second stops the program. While the command
 * handles signals itself, signals do not stop the program.
 */
export function createSignals(): Signals {
  const controller = new AbortController();
  let lastAct: (() => void) | undefined;
  let taker: ((signal: Deno.Signal) => void) | undefined;
  const stop = () => {
    if (controller.signal.aborted) {
      lastAct?.();
      Deno.exit(EXIT.interrupted);
    }
    controller.abort(new DOMException("Interrupted", "AbortError"));
  };
  for (const signal of STOPPING) {
    Deno.addSignalListener(signal, () => taker === undefined ? stop() : taker(signal));
  }
  return {
    stop: controller.signal,
    onSecondStop: (act) => lastAct = act,
    take(handle) {
      taker = handle;
      const listeners = FURTHER.map((signal) => [signal, () => handle(signal)] as const);
      for (const [signal, listener] of listeners) Deno.addSignalListener(signal, listener);
      return () => {
        taker = undefined;
        for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
      };
    },
  };
}
