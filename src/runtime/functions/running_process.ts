/**
 * A function process: started, connected, its resident memory watched.
 *
 * @module
 */
import { join } from "node:path";
import { CALM_PRIORITY, setThreadPriority } from "./cpu_watch.ts";
import { FrameConnection } from "./connection.ts";
import { MAX_UPWARD_BYTES } from "./frame.ts";
import type { ProcessCommand } from "./types.ts";
import { WorkerLines } from "./worker_lines.ts";
import { spawnProgram } from "../../lib/spawn_program.ts";

/** Longest time from the start of the process to its connection. */
const CONNECT_MS = 15_000;

/** What is kept of the last words of a process, in characters. */
const LAST_WORDS = 600;

const PAGE_BYTES = 4096;

/** Resident memory of a process in bytes (proc(5), statm); `undefined` where that is not told. */
export function residentBytes(pid: number): number | undefined {
  try {
    const pages = Deno.readTextFileSync(`/proc/${pid}/statm`).split(" ")[1];
    return pages === undefined ? undefined : Number(pages) * PAGE_BYTES;
  } catch {
    return undefined;
  }
}

export interface RunningProcess {
  readonly pid: number;
  /** Starts and stops workers. */
  readonly control: FrameConnection;
  /** Where the workers come in. */
  readonly lines: WorkerLines;
  /** Resolves with the process's last words when it has ended. */
  readonly ended: Promise<string>;
  /** Ends it at once. */
  kill(): void;
}

async function readTail(stream: ReadableStream<Uint8Array>): Promise<string> {
  let tail = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    tail = (tail + decoder.decode(chunk, { stream: true })).slice(-LAST_WORDS);
  }
  return tail.trim();
}

/** The connection of the process itself, which is the first. */
async function acceptWithin(
  listener: Deno.UnixListener,
  child: Deno.ChildProcess,
): Promise<Deno.Conn> {
  const gone = Promise.withResolvers<never>();
  const giveUp = setTimeout(() => gone.reject(new Error("It did not connect")), CONNECT_MS);
  void child.status.then(() => gone.reject(new Error("It has ended")));
  try {
    return await Promise.race([listener.accept(), gone.promise]);
  } finally {
    clearTimeout(giveUp);
  }
}

/**
 * Starts a process and waits until it has connected. Its socket is there as
 * long as it runs.
 *
 * @throws Error where it ends or says nothing before
 */
export async function startProcess(
  spawn: (socketPath: string) => ProcessCommand,
): Promise<RunningProcess> {
  const folder = await Deno.makeTempDir({ prefix: "svc-fn-" });
  const removeFolder = () => Deno.remove(folder, { recursive: true }).catch(() => {});
  const path = join(folder, "s");
  let listener: Deno.UnixListener | undefined;
  try {
    listener = Deno.listen({ transport: "unix", path });
    return await startOn(listener, spawn(path), removeFolder);
  } catch (error) {
    listener?.close();
    await removeFolder();
    throw error;
  }
}

async function startOn(
  listener: Deno.UnixListener,
  { command, args, env }: ProcessCommand,
  removeFolder: () => Promise<void>,
): Promise<RunningProcess> {
  const child = spawnProgram(command, {
    args: [...args],
    env: { ...env },
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  });
  // Its threads inherit this: the platform goes first on a busy machine, already while it starts.
  setThreadPriority(child.pid, CALM_PRIORITY);
  const lastWords = readTail(child.stderr).catch(() => "");
  const ended = child.status.then(async ({ code, signal }) => {
    const words = await lastWords;
    await removeFolder();
    return `${words} (${signal === null ? `code ${code}` : signal})`.trim();
  });
  const kill = (): void => {
    try {
      child.kill("SIGKILL");
    } catch { /* it has ended already */ }
  };
  const conn = await acceptWithin(listener, child).catch(async () => {
    kill();
    throw new Error(`A function process did not start: ${await ended}`);
  });
  const control = new FrameConnection(conn, MAX_UPWARD_BYTES);
  const lines = new WorkerLines(listener);
  void ended.then(() => lines.close());
  return { pid: child.pid, control, lines, ended, kill };
}
