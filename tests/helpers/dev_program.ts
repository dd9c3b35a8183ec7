/**
 * Runs `svc dev` and `svc preview` as processes.
 *
 * @module
 */
import assert from "node:assert/strict";
import { cleanEnvironment, programCommand } from "../../scripts/_program.ts";

/** Maximum time to wait for output from a process, in milliseconds. */
const PATIENCE_MS = 60_000;

export interface Served {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** The object that the program printed when it was ready. */
  readonly told: Record<string, unknown>;
  /** The log messages so far. */
  readonly lines: readonly string[];
  /** Waits for a message, starting the search at message `from`. */
  said(pattern: RegExp, from?: number): Promise<string>;
  /** Sends a signal and waits until the process has exited. Returns the exit code. */
  end(signal?: Deno.Signal): Promise<number>;
}

export interface ServeOptions {
  readonly cwd: string;
  readonly env?: Record<string, string>;
  /** Receives each log message immediately, even before the process is ready. */
  readonly heard?: (message: string) => void;
}

function messageOf(line: string): string {
  try {
    return String((JSON.parse(line) as { m: unknown }).m);
  } catch {
    return line;
  }
}

async function eachLine(stream: ReadableStream<Uint8Array>, take: (line: string) => void) {
  let rest = "";
  for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    for (const line of lines) take(line);
  }
}

/** Starts a serving command in JSON mode, and waits until it is ready. */
export async function startServing(
  argv: readonly string[],
  { cwd, env = {}, heard }: ServeOptions,
): Promise<Served> {
  const [program, ...args] = programCommand();
  const child = new Deno.Command(program, {
    args: [...args, ...argv, "--json"],
    cwd,
    env: { ...cleanEnvironment(cwd), ...env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const log = eachLine(child.stderr, (line) => {
    lines.push(messageOf(line));
    heard?.(lines.at(-1)!);
    for (const look of waiting) look();
  });
  const said = (pattern: RegExp, from = 0): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const timer = setTimeout(
      () => reject(new Error(`Its log has no match for ${pattern}:\n${lines.join("\n")}`)),
      PATIENCE_MS,
    );
    const look = () => {
      const line = lines.slice(from).find((each) => pattern.test(each));
      if (line !== undefined) resolve(line);
    };
    waiting.add(look);
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(look);
    });
  };
  const told = Promise.withResolvers<Record<string, unknown>>();
  const output = eachLine(child.stdout, (line) => told.resolve(JSON.parse(line)));
  const ended = child.status.then(async ({ code }) => {
    await Promise.all([log, output]);
    return code;
  });
  const first = await Promise.race([told.promise, ended.then(() => undefined)]);
  assert.ok(
    first !== undefined && "url" in first,
    `The program is not ready:\n${lines.join("\n")}`,
  );
  return {
    url: String(first.url),
    port: Number(first.port),
    pid: child.pid,
    told: first,
    lines,
    said,
    async end(signal = "SIGTERM") {
      try {
        child.kill(signal);
      } catch { /* it has already ended */ }
      return await ended;
    },
  };
}

/** Returns whether a process exists and is not a zombie. */
export function isRunning(pid: number): boolean {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}
