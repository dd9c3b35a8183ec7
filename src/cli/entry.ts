/**
 * The entry point: the only place that touches the process. It gives the
 * program its streams, environment, clock and signals.
 *
 * @module
 */
import process from "node:process";
import type { Host, TakeSignals } from "./context.ts";
import type { Writer } from "./writer.ts";
import { EXIT } from "./cli_error.ts";
import { openBrowser } from "./login/open_browser.ts";
import { VERSION } from "./version.ts";

/** `svc --version` answers at once, without loading the command tree. */
const VERSION_FLAGS: ReadonlySet<string> = new Set(["--version", "-v"]);

/** How an argument begins with which the program starts itself as another process. */
const HIDDEN_PREFIX = "__";

type Stream = typeof Deno.stdout;

/** Writes all of a text; a closed pipe (`svc logs | head`) ends the program quietly. */
function createWriter(stream: Stream): Writer {
  const encoder = new TextEncoder();
  return {
    isTerminal: stream.isTerminal(),
    columns: () => {
      try {
        const { columns } = Deno.consoleSize();
        // A terminal that was never told its size says 0.
        return columns > 0 ? columns : undefined;
      } catch {
        return undefined;
      }
    },
    write(text) {
      const bytes = encoder.encode(text);
      try {
        for (let offset = 0; offset < bytes.byteLength;) {
          try {
            offset += stream.writeSync(bytes.subarray(offset));
          } catch (error) {
            if (!(error instanceof Deno.errors.WouldBlock)) throw error;
          }
        }
      } catch (error) {
        if (error instanceof Deno.errors.BrokenPipe) Deno.exit(EXIT.success);
        throw error;
      }
    },
  };
}

const onWindows = Deno.build.os === "windows";

/** Signals that stop this program. */
const STOPPING: readonly Deno.Signal[] = onWindows ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
/** Further signals that a child process can get in its place. */
const FURTHER: readonly Deno.Signal[] = onWindows
  ? ["SIGBREAK"]
  : ["SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];

/**
 * The first signal asks the command to stop, the second ends the program;
 * while a command has taken the signals, they are its own.
 */
function createSignals(): { readonly stop: AbortSignal; readonly take: TakeSignals } {
  const controller = new AbortController();
  let taker: ((signal: Deno.Signal) => void) | undefined;
  const stop = () => {
    if (controller.signal.aborted) Deno.exit(EXIT.interrupted);
    controller.abort(new DOMException("Interrupted", "AbortError"));
  };
  for (const signal of STOPPING) {
    Deno.addSignalListener(signal, () => taker === undefined ? stop() : taker(signal));
  }
  return {
    stop: controller.signal,
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

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

function createHost(): Host {
  const stdout = createWriter(Deno.stdout);
  const stderr = createWriter(Deno.stderr);
  const signals = createSignals();
  const env = Deno.env.toObject();
  return {
    stdout,
    stderr,
    stdinIsTerminal: Deno.stdin.isTerminal(),
    stdin: () => Deno.stdin.readable,
    env,
    cwd: Deno.cwd(),
    now: () => Date.now(),
    signal: signals.stop,
    takeSignals: signals.take,
    fetch,
    sleep,
    openUrl: (url) => openBrowser(url, env),
    machineName: () => Deno.hostname(),
    keyboard: {
      async read() {
        const bytes = new Uint8Array(1024);
        const count = await Deno.stdin.read(bytes);
        return count === null ? null : bytes.subarray(0, count);
      },
      setRaw: (raw) => Deno.stdin.setRaw(raw),
    },
  };
}

/** Runs the tool with the process's arguments and ends the process with its exit code. */
export async function main(): Promise<never> {
  const [first, ...rest] = Deno.args;
  if (first !== undefined && VERSION_FLAGS.has(first) && rest.length === 0) {
    if (Deno.env.get("SVC_JSON") !== "1") {
      createWriter(Deno.stdout).write(`${VERSION}\n`);
      Deno.exit(EXIT.success);
    }
  }
  if (first?.startsWith(HIDDEN_PREFIX)) {
    const { runHiddenProcess } = await import("./hidden_process.ts");
    return await runHiddenProcess(first, rest);
  }
  // What the runtime's own modules use is no concern of the user's (Deno 2.6: punycode).
  if (Deno.build.standalone) process.noDeprecation = true;
  const { runProgram } = await import("./program.ts");
  Deno.exit(await runProgram(Deno.args, createHost()));
}
