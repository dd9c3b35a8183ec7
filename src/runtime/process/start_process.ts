/**
 * Starting a process of foreign code: it gets a private folder with a Unix
 * socket, connects to that, and is watched until it has ended.
 *
 * @module
 */
import { join } from "node:path";
import { createControlGroup, type GroupLimits } from "../../lib/control_groups.ts";
import { spawnProgram } from "../../lib/spawn_program.ts";
import type { ProcessCommand } from "./self_command.ts";
import { within } from "./timers.ts";

/** Longest time from the start of the process to its connection, in milliseconds. */
const CONNECT_MS = 15_000;

/** How much of a process's last output is kept, in characters. */
const LAST_WORDS = 600;

/** The end of what a process wrote: why it ended, mostly. */
class LastWords {
  #text = "";

  add(text: string): void {
    this.#text = (this.#text + text).slice(-LAST_WORDS);
  }

  toString(): string {
    return this.#text.trim();
  }
}

export interface StartProcessOptions {
  /** The name for error messages: "A function process". */
  readonly name: string;
  /** Private folders of this kind of process are recognised by it. */
  readonly folderPrefix: string;
  /** Folder for the private folder; that for temporary files by default. */
  readonly parentFolder?: string | undefined;
  /** Name of the socket in the private folder. */
  readonly socketName: string;
  readonly command: (folder: string) => ProcessCommand | Promise<ProcessCommand>;
  /** Reads standard output to its end; it is discarded if this is missing. */
  readonly readOutput?: (stream: ReadableStream<Uint8Array>) => Promise<void>;
  /** Reads standard error to its end, and notes the last of it. */
  readonly readErrors: (stream: ReadableStream<Uint8Array>, words: LastWords) => Promise<void>;
  /** How long the rest of the output is waited for once the process has ended, in milliseconds. */
  readonly outputMs: number;
  /** Limits of its control group, where the platform has such groups. */
  readonly group?: GroupLimits;
  /** Called as soon as the process runs. */
  readonly spawned?: (pid: number) => void;
}

export interface StartedProcess {
  readonly pid: number;
  /** Its private folder, removed when it has ended. */
  readonly folder: string;
  /** Its first connection. */
  readonly conn: Deno.Conn;
  /** Accepts further ones; to be closed by the caller. */
  readonly listener: Deno.UnixListener;
  /** Resolves with the process's last words when it has ended. */
  readonly ended: Promise<string>;
  /** True once it was ended because its control group ran out of memory. */
  ranOut(): boolean;
  /** Ends it at once. */
  kill(): void;
}

async function acceptFirst(
  listener: Deno.UnixListener,
  child: Deno.ChildProcess,
): Promise<Deno.Conn> {
  const { promise: gone, reject } = Promise.withResolvers<never>();
  const giveUp = setTimeout(() => reject(new Error("It did not connect")), CONNECT_MS);
  const noteEnd = () => reject(new Error("It has ended"));
  child.status.then(noteEnd, noteEnd);
  try {
    return await Promise.race([listener.accept(), gone]);
  } finally {
    clearTimeout(giveUp);
  }
}

/**
 * Starts a process and waits until it has connected.
 *
 * @throws Error if it ends before, or does not connect in time
 */
export async function startProcess(options: StartProcessOptions): Promise<StartedProcess> {
  const { folderPrefix: prefix, parentFolder: dir, socketName } = options;
  const folder = await Deno.makeTempDir({ prefix, dir });
  const removeFolder = (): Promise<void> =>
    Deno.remove(folder, { recursive: true }).catch(() => {});
  let listener: Deno.UnixListener | undefined;
  try {
    listener = Deno.listen({ transport: "unix", path: join(folder, socketName) });
    return await startIn(folder, listener, { ...options, removeFolder });
  } catch (error) {
    listener?.close();
    await removeFolder();
    throw error;
  }
}

async function startIn(
  folder: string,
  listener: Deno.UnixListener,
  options: StartProcessOptions & { readonly removeFolder: () => Promise<void> },
): Promise<StartedProcess> {
  const { name, readOutput, readErrors, outputMs, spawned, removeFolder } = options;
  const { command, args, env } = await options.command(folder);
  const child = spawnProgram(command, {
    args: [...args],
    env: { ...env },
    clearEnv: true,
    stdin: "null",
    stdout: readOutput === undefined ? "null" : "piped",
    stderr: "piped",
  });
  const group = options.group === undefined ? undefined : createControlGroup(options.group);
  // It starts what is foreign once it has connected.
  group?.add(child.pid);
  spawned?.(child.pid);
  const words = new LastWords();
  const output = Promise.all([
    readOutput?.(child.stdout),
    readErrors(child.stderr, words),
  ]).catch(() => {});
  const ended = child.status.then(async ({ code, signal }) => {
    await group?.remove();
    await endOf(output, outputMs);
    await removeFolder();
    return `${words} (${signal === null ? `code ${code}` : signal})`.trim();
  });
  const kill = (): void => {
    try {
      child.kill("SIGKILL");
    } catch { /* it has ended already */ }
  };
  const conn = await acceptFirst(listener, child).catch(async () => {
    kill();
    throw new Error(`${name} did not start: ${await ended}`);
  });
  const ranOut = (): boolean => group?.ranOut ?? false;
  return { pid: child.pid, folder, conn, listener, ended, ranOut, kill };
}

async function endOf(output: Promise<unknown>, milliseconds: number): Promise<void> {
  await (milliseconds === Infinity ? output : within(output, milliseconds));
}
