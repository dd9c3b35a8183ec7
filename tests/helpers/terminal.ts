/**
 * Runs the program in a pseudo-terminal from `script` (util-linux), in which the test types keys
 * and reads the screen.
 *
 * @module
 */
import { cleanEnvironment, programCommand } from "../../scripts/_program.ts";

/** Maximum time to wait for output from a program, in milliseconds. */
const PATIENCE_MS = 60_000;

export interface Terminal {
  /** Returns all output so far, including control sequences. */
  screen(): string;
  /** Waits for a match in the output after the first `from` characters. */
  shows(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
  type(keys: string): Promise<void>;
  /** Waits until the program has exited. Returns its exit code. */
  readonly ended: Promise<number>;
  /** Closes the terminal, as if its window were closed. The program receives SIGHUP. */
  hangUp(): Promise<void>;
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Starts the program in a separate terminal. */
export function startOnTerminal(
  argv: readonly string[],
  { cwd, env = {}, program = programCommand() }: {
    readonly cwd: string;
    readonly env?: Record<string, string>;
    /** A program to run instead of svc. */
    readonly program?: readonly string[];
  },
): Terminal {
  const command = [...program, ...argv].map(quote).join(" ");
  const child = new Deno.Command("script", {
    args: ["--quiet", "--return", "--flush", "--command", `exec ${command}`, "/dev/null"],
    cwd,
    env: { ...cleanEnvironment(cwd), SHELL: "/bin/sh", TERM: "xterm", ...env },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const keyboard = child.stdin.getWriter();
  let screen = "";
  const waiting = new Set<() => void>();
  const read = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      screen += text;
      for (const look of waiting) look();
    }
  })();
  const ended = child.status.then(async ({ code }) => {
    await read;
    await keyboard.close().catch(() => {});
    return code;
  });
  const shows = (pattern: RegExp, from = 0): Promise<RegExpExecArray> => {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const fail = (why: string) => reject(new Error(`${why}; expected ${pattern} in:\n${screen}`));
    const timer = setTimeout(() => fail("The screen has no match"), PATIENCE_MS);
    const look = () => {
      const found = pattern.exec(screen.slice(from));
      if (found !== null) resolve(found);
    };
    waiting.add(look);
    look();
    void ended.then(() => fail("The program has exited"));
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(look);
    });
  };
  return {
    screen: () => screen,
    shows,
    type: (keys) => keyboard.write(new TextEncoder().encode(keys)),
    ended,
    async hangUp() {
      try {
        child.kill("SIGKILL");
      } catch { /* it has already ended */ }
      await ended;
    },
  };
}
