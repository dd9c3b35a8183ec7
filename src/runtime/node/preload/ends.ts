/** @module Reports to the platform why a server exits, before its process exits. */
import process from "node:process";
import { inspect } from "node:util";

const HELD_BACK = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type Emit = (this: unknown, event: string | symbol, ...args: unknown[]) => boolean;

/** Calls the server's SIGTERM listeners. Returns false if there are none. */
type EmitTermination = () => boolean;

/** Keeps the process's signals from reaching the server's listeners and from stopping it. */
function separateSignals(): EmitTermination {
  const ignore = (): void => {};
  const names: ReadonlySet<string | symbol> = new Set(HELD_BACK);
  const emit = process.emit as Emit;
  let isAsked = false;
  const replaced: Emit = function (event, ...args) {
    return names.has(event) && !isAsked ? true : emit.call(this, event, ...args);
  };
  // Node uses the `emit` that is current when a signal gets its first listener.
  Reflect.set(process, "emit", replaced);
  for (const signal of HELD_BACK) process.on(signal, ignore);
  return () => {
    isAsked = true;
    for (const signal of HELD_BACK) process.removeListener(signal, ignore);
    return process.emit("SIGTERM", "SIGTERM");
  };
}

interface EndOptions {
  /** Returns true if the server listens, or has listened. */
  readonly listened: () => boolean;
  /** Reports why the server exits. */
  readonly ended: (message: string) => void;
  /** Prepares a message for the log: shortens it, and shows paths as the author knows them. */
  readonly describe: (message: string) => string;
  /** Whether signals come only from the server's own processes. */
  readonly hasOwnSignals: boolean;
}

/**
 * Stops the server by calling its SIGTERM listeners. If there are none, the process exits
 * immediately.
 */
type Terminate = () => void;

const { reallyExit } = process as unknown as { readonly reallyExit: (code: number) => never };
/** Kills the process immediately, without calling any listeners. */
export const exitNow = (code: number): never => reallyExit.call(process, code);

/**
 * Returns an error's message and stack. The message comes first, because the stacks of syntax
 * errors begin with a position.
 */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return `Uncaught ${inspect(error)}`;
  const { name, message, stack = `${name}: ${message}` } = error;
  const [place, ...code] = stack.split("\n");
  return error instanceof SyntaxError && /:\d+$/.test(place!)
    ? [`${name}: ${message}`, `    at ${place}`, ...code.slice(0, MARKED_LINES)].join("\n")
    : stack;
}

/** Number of lines that show where a syntax error is: the line of code, and a caret below it. */
const MARKED_LINES = 2;

/**
 * Returns whether an error's text has stack frames. The first frame shows where the error comes
 * from. Without frames, only Node's own report shows that.
 */
const hasFrame = (text: string): boolean => /^\s+at /m.test(text);

class Ending {
  #reported = false;
  #exit: { readonly stack: string } | undefined;
  #fatal: { readonly error: unknown } | undefined;

  readonly #options: EndOptions;

  constructor(options: EndOptions) {
    this.#options = options;
  }

  report(message: string): void {
    if (this.#reported) return;
    this.#reported = true;
    this.#options.ended(message);
  }

  /** Records where the server's code calls `process.exit`. */
  noteExits(): void {
    const exit = process.exit;
    process.exit = (code): never => {
      const { stack = "" } = new Error();
      this.#exit ??= { stack: stack.split("\n").slice(1).join("\n") };
      return exit.call(process, code);
    };
  }

  /** Records uncaught errors. One of the server's listeners may still handle them. */
  noteErrors(): void {
    process.on("uncaughtExceptionMonitor", (error) => {
      this.#fatal = { error };
      // Reached only if one of the server's listeners has handled the error.
      queueMicrotask(() => this.#fatal = undefined);
    });
  }

  /** Reports the end, regardless of its cause. */
  reportExit(): void {
    const listener = (code: number): void => {
      if (this.#exit !== undefined) {
        return this.report(this.#text(`The server called process.exit(${code})`, this.#exit.stack));
      }
      if (this.#fatal !== undefined) return this.#die(this.#fatal.error, listener);
      this.report(
        this.#options.listened()
          ? `The server exited with code ${code} because it had nothing left to do`
          : `The server exited before it listened (code ${code}): listen on process.env.PORT, ` +
            'or write "export default { fetch }"',
      );
    };
    process.on("exit", listener);
  }

  /** Stops the process after an error, because Node itself would print the error again. */
  #die(error: unknown, listener: (code: number) => void): void {
    const described = this.#options.describe(textOf(error));
    this.report(described);
    if (error instanceof SyntaxError && !hasFrame(described)) return;
    for (const other of process.listeners("exit")) {
      if (other !== listener) other.call(process, 1);
    }
    exitNow(1);
  }

  #text(message: string, stack: string): string {
    return this.#options.describe(stack === "" ? message : `${message}\n${stack}`);
  }
}

/** Reports the end of the server. Returns the function that stops the server. */
export function watchEnd(options: EndOptions): Terminate {
  const ending = new Ending(options);
  ending.noteExits();
  ending.noteErrors();
  ending.reportExit();
  const emitTermination = options.hasOwnSignals
    ? () => process.emit("SIGTERM", "SIGTERM")
    : separateSignals();
  return () => {
    if (emitTermination()) return;
    ending.report("The platform asked the server to stop");
    exitNow(0);
  };
}
