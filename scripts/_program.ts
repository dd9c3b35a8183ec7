/**
 * The svc program as a process: starts and stops the platform, and calls the CLI, in a clean
 * environment. Tests, benches and the demo share this module.
 *
 * @module
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { type Environment, networkVariables } from "../src/lib/network_variables.ts";
import { ROOT } from "./_source_files.ts";

export type Command = readonly [string, ...string[]];

/** Path of the compiled program to test (`SVC_BIN`), or `undefined` to test the source. */
export const COMPILED: string | undefined = Deno.env.get("SVC_BIN") || undefined;

/** Returns the command that starts the program: {@link COMPILED} if set, otherwise the source. */
export function programCommand(): Command {
  return COMPILED === undefined
    ? [Deno.execPath(), "run", "--quiet", "--allow-all", "--no-check", join(ROOT, "main.ts")]
    : [COMPILED];
}

/** Variables of a clean environment, in addition to network settings. */
const KEPT = ["PATH", "LANG", "TMPDIR"] as const;

/**
 * Returns an environment that does not depend on the user's account: the home folder is `home`.
 * Only the search path, Deno's cache and the network settings are kept.
 */
export function cleanEnvironment(
  home: string,
  own: Environment = Deno.env.toObject(),
): Record<string, string> {
  const kept = KEPT.flatMap((name) => own[name] === undefined ? [] : [[name, own[name]]]);
  // With `EMPTY_ROOT`, the program runs in its own root, without the machine's certificate files.
  const network = Object.entries(networkVariables(own))
    .filter(([, value]) => own.EMPTY_ROOT === undefined || !value.startsWith("/"));
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(network),
    HOME: home,
    DENO_DIR: own.DENO_DIR ?? join(own.HOME ?? "/", ".cache", "deno"),
    NO_COLOR: "1",
  };
}

/** With `EDGES=2`, every platform starts with two edges, unless its arguments set the number. */
const EDGES = Number(Deno.env.get("EDGES") ?? 0);

/** Returns the number of sockets that listen on a port of this machine. */
async function countListeners(port: number): Promise<number> {
  const wanted = new RegExp(`:${port.toString(16).toUpperCase().padStart(4, "0")} \\S+ 0A `, "g");
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => Deno.readTextFile(`/proc/net/${name}`)),
  );
  return tables.join("").match(wanted)?.length ?? 0;
}

/** Resolves when the platform's edges are also listening, or when the platform has stopped. */
async function edgesListening(port: number, ended: Promise<unknown>): Promise<void> {
  const isOver = ended.then(() => true);
  do {
    if (await countListeners(port) > EDGES) return;
  } while (!await Promise.race([isOver, delay(LOOK_MS, false)]));
}

const readyLine = z.object({ url: z.url(), token: z.string().optional() });

export interface Platform {
  readonly url: string;
  readonly port: number;
  /** Port of the HTTPS listener, or `undefined` if there is none. */
  readonly httpsPort: number | undefined;
  /** The owner's key. Missing if the data directory already contained a key. */
  readonly token: string | undefined;
  /** One-time URL for setting the owner's password, or `undefined` once a password exists. */
  readonly ownerLink: string | undefined;
  readonly pid: number;
  /** Resolves with the exit code when the process has exited. */
  readonly ended: Promise<number>;
  /** Returns everything that the process has written to stderr so far. */
  errors(): string;
  /** Asks the platform to drain, waits until it has stopped, and returns the exit code. */
  stop(): Promise<number>;
  /** Kills the platform, which has the same effect as a crash or a power cut. */
  kill(): Promise<void>;
}

export interface PlatformOptions {
  readonly dataDir: string;
  /** With 0, the default, the system chooses a port. */
  readonly port?: number;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Command that starts the program; {@link programCommand} by default. */
  readonly command?: Command;
  /** Called with each line of stderr. */
  readonly onLine?: (line: string) => void;
}

/** Maximum time to wait until the platform is ready, even under qemu on a busy machine. */
const READY_LIMIT_MS = 300_000;

/** Interval at which to look for edges, in milliseconds. */
const LOOK_MS = 20;

/** Matches the line of JSON output that contains the ports. */
const LISTENING = /Listening on http:\/\/\S+?:(\d+)(?: and https:\/\/\S+?:(\d+))?"/;
const OWNER_LINK = /Owner's link, which works once: ([^"\s]+)"/;

/** Reads a stream line by line; `all()` returns all text received so far. */
function followLines(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void) {
  let text = "";
  let begin = 0;
  const drained = (async () => {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end = text.indexOf("\n", begin); end !== -1; end = text.indexOf("\n", begin)) {
        onLine(text.slice(begin, end));
        begin = end + 1;
      }
    }
  })();
  return { drained, all: () => text };
}

/** Starts `svc serve --json` and returns when it responds. */
export async function startProgram(options: PlatformOptions): Promise<Platform> {
  const [program, ...args] = options.command ?? programCommand();
  const serve = ["serve", "--json", "--port", String(options.port ?? 0)];
  const child = new Deno.Command(program, {
    args: [...args, ...serve, "--data-dir", options.dataDir, ...options.args ?? []],
    // The default number of edges depends on the number of processors.
    env: { SVC_SERVE_EDGES: String(EDGES), ...options.env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const listening = Promise.withResolvers<RegExpExecArray>();
  const errors = followLines(child.stderr, (line) => {
    const found = LISTENING.exec(line);
    if (found !== null) listening.resolve(found);
    options.onLine?.(line);
  });
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const end = async (signal: Deno.Signal): Promise<number> => {
    endAtOnce(child, signal);
    await reader.cancel();
    const { code } = await child.status;
    await errors.drained;
    return code;
  };
  const ready = await readReadyLine(reader).catch(async (error) => {
    await end("SIGKILL");
    throw new Error(`Cannot start the platform: ${error.message}\n${errors.all()}`);
  });
  const [, port, httpsPort] = await listening.promise;
  const hasOwnCount = options.args?.includes("--edges") ?? false;
  if (EDGES > 0 && !hasOwnCount) await edgesListening(Number(port), child.status);
  return {
    url: ready.url,
    port: Number(port),
    httpsPort: httpsPort === undefined ? undefined : Number(httpsPort),
    token: ready.token,
    ownerLink: OWNER_LINK.exec(errors.all())?.[1],
    pid: child.pid,
    ended: child.status.then(({ code }) => code),
    errors: errors.all,
    stop: () => end("SIGTERM"),
    kill: async () => void await end("SIGKILL"),
  };
}

async function readReadyLine(reader: ReadableStreamDefaultReader<string>) {
  let text = "";
  let why = "It exited before it was ready";
  const timer = setTimeout(() => {
    why = `It was not ready within ${READY_LIMIT_MS / 1000} s`;
    reader.cancel();
  }, READY_LIMIT_MS);
  try {
    while (!text.includes("\n")) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`${why}. Its output: ${text}`);
      text += value;
    }
  } finally {
    clearTimeout(timer);
  }
  const ready = readyLine.safeParse(JSON.parse(text.slice(0, text.indexOf("\n"))));
  if (!ready.success) throw new Error(text.trim());
  return ready.data;
}

export interface ToolResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ToolOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Called with each line of stderr. */
  readonly onLine?: (line: string) => void;
}

interface RunningTool {
  readonly pid: number;
  readonly result: Promise<ToolResult>;
  /** Kills the process immediately. Does nothing if it has already exited. */
  kill(): void;
}

/** Starts the CLI. */
export function startTool(args: readonly string[], options: ToolOptions): RunningTool {
  const [program, ...first] = programCommand();
  const child = new Deno.Command(program, {
    args: [...first, ...args],
    cwd: options.cwd,
    env: { ...options.env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const errors = followLines(child.stderr, options.onLine ?? (() => {}));
  const finish = async (): Promise<ToolResult> => {
    const stdout = await new Response(child.stdout).text();
    const { code } = await child.status;
    await errors.drained;
    return { code, stdout, stderr: errors.all() };
  };
  return {
    pid: child.pid,
    result: finish(),
    kill: () => endAtOnce(child),
  };
}

/** Calls the CLI and returns its output. */
export function callTool(args: readonly string[], options: ToolOptions): Promise<ToolResult> {
  return startTool(args, options).result;
}

function endAtOnce(child: Deno.ChildProcess, signal: Deno.Signal = "SIGKILL"): void {
  try {
    child.kill(signal);
  } catch (error) {
    // Deno throws a `TypeError` if the process has already exited.
    if (!(error instanceof TypeError)) throw error;
  }
}
