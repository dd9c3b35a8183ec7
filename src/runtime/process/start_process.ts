/** @module Starts a process that runs project code, with a private folder and a Unix socket. */
import { join } from "node:path";
import {
  type ControlGroup,
  createControlGroup,
  type GroupLimits,
} from "../../lib/control_groups.ts";
import { spawnProgram } from "../../lib/spawn_program.ts";
import type { ProcessCommand } from "./self_command.ts";
import { within } from "./timers.ts";

/** Maximum time from the start of the process to its connection, in milliseconds. */
const CONNECT_MS = 15_000;

/** Maximum number of characters of a process's last output to keep. */
const LAST_WORDS = 600;

/** Collects the end of a process's output, which usually shows why the process exited. */
class LastWords {
  #text = "";

  add(text: string): void {
    this.#text = (this.#text + text).slice(-LAST_WORDS);
  }

  toString(): string {
    return this.#text.trim();
  }
}

async function noteWords(stream: ReadableStream<Uint8Array>, words: LastWords): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) words.add(decoder.decode(chunk, { stream: true }));
}

export interface StartProcessOptions {
  /** The name for error messages, such as "A function process". */
  readonly name: string;
  /** Prefix of the private folders of this kind of process. */
  readonly folderPrefix: string;
  /** Parent of the private folder; by default, the system's folder for temporary files. */
  readonly parentFolder?: string | undefined;
  /** Name of the socket in the private folder. */
  readonly socketName: string;
  readonly command: (folder: string) => ProcessCommand | Promise<ProcessCommand>;
  /** Reads standard output to its end. If missing, the output is discarded. */
  readonly readOutput?: (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => Promise<void>;
  /**
   * Reads standard error to its end and keeps the last part in `words`. By default, only this is
   * done.
   */
  readonly readErrors?: (
    stream: ReadableStream<Uint8Array<ArrayBuffer>>,
    words: LastWords,
  ) => Promise<void>;
  /**
   * Maximum time to wait for the rest of the output after the process has exited, in milliseconds.
   */
  readonly outputMs?: number;
  /** Called as soon as the process is running. */
  readonly spawned?: (pid: number) => void;
}

export interface StartedProcess {
  readonly pid: number;
  /** The process's private folder, which is removed once the process has exited. */
  readonly folder: string;
  /** The process's first connection. */
  readonly conn: Deno.Conn;
  /** Accepts more connections. The caller must close the listener. */
  readonly listener: Deno.UnixListener;
  /** Resolves with the process's last output once the process has exited. */
  readonly ended: Promise<string>;
  /**
   * Moves the process to a control group with limits, if the platform uses control groups. Must be
   * called before the process starts project code.
   */
  limit(limits: GroupLimits): void;
  /** Returns true once the process was killed because its control group ran out of memory. */
  ranOut(): boolean;
  /** Kills the process immediately. */
  kill(): void;
}

async function acceptFirst(
  listener: Deno.UnixListener,
  child: Deno.ChildProcess,
): Promise<Deno.Conn> {
  const { promise: gone, reject } = Promise.withResolvers<never>();
  const giveUp = setTimeout(() => reject(new Error("It did not connect")), CONNECT_MS);
  const noteEnd = () => reject(new Error("It has exited"));
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
 * @throws Error if it exits first, or does not connect in time
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
  const { name, readOutput, readErrors = noteWords, outputMs = Infinity, spawned } = options;
  const { command, args, env } = await options.command(folder);
  const child = spawnProgram(command, {
    args: [...args],
    env: { ...env },
    clearEnv: true,
    stdin: "null",
    stdout: readOutput === undefined ? "null" : "piped",
    stderr: "piped",
  });
  spawned?.(child.pid);
  let group: ControlGroup | undefined;
  let hasEnded = false;
  const words = new LastWords();
  const output = Promise.all([
    readOutput?.(child.stdout),
    readErrors(child.stderr, words),
  ]).catch(() => {});
  const ended = child.status.then(async ({ code, signal }) => {
    hasEnded = true;
    await group?.remove();
    await endOf(output, outputMs);
    await options.removeFolder();
    return `${words} (${signal === null ? `code ${code}` : signal})`.trim();
  });
  const kill = (): void => {
    try {
      child.kill("SIGKILL");
    } catch { /* it has exited already */ }
  };
  const conn = await acceptFirst(listener, child).catch(async () => {
    kill();
    throw new Error(`${name} did not start: ${await ended}`);
  });
  const limit = (limits: GroupLimits): void => {
    if (hasEnded) return;
    group = createControlGroup(limits);
    group?.add(child.pid);
  };
  const ranOut = (): boolean => group?.ranOut ?? false;
  return { pid: child.pid, folder, conn, listener, ended, limit, ranOut, kill };
}

async function endOf(output: Promise<unknown>, milliseconds: number): Promise<void> {
  await (milliseconds === Infinity ? output : within(output, milliseconds));
}
