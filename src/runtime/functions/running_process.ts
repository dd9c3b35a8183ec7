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
  readonly connection: FrameConnection;
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

async function acceptWithin(
  listener: Deno.UnixListener,
  child: Deno.ChildProcess,
): Promise<Deno.Conn> {
  const giveUp = setTimeout(() => listener.close(), CONNECT_MS);
  void child.status.then(() => {
    try {
      listener.close();
    } catch { /* it is closed already */ }
  });
  try {
    return await listener.accept();
  } finally {
    clearTimeout(giveUp);
    try {
      listener.close();
    } catch { /* the process ended first */ }
  }
}

/**
 * Starts a process and waits until it has connected.
 *
 * @throws Error where it ends or says nothing before
 */
export async function startProcess(
  spawn: (socketPath: string) => ProcessCommand,
): Promise<RunningProcess> {
  const folder = await Deno.makeTempDir({ prefix: "svc-fn-" });
  try {
    const path = join(folder, "s");
    const listener = Deno.listen({ transport: "unix", path });
    const { command, args, env } = spawn(path);
    const child = new Deno.Command(command, {
      args: [...args],
      env: { ...env },
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    // Its threads inherit this: the platform goes first on a busy machine, already while it starts.
    setThreadPriority(child.pid, CALM_PRIORITY);
    const lastWords = readTail(child.stderr).catch(() => "");
    const ended = child.status.then(async ({ code, signal }) =>
      `${await lastWords} (${signal === null ? `code ${code}` : signal})`.trim()
    );
    const kill = (): void => {
      try {
        child.kill("SIGKILL");
      } catch { /* it has ended already */ }
    };
    const conn = await acceptWithin(listener, child).catch(async () => {
      kill();
      throw new Error(`A function process did not start: ${await ended}`);
    });
    const connection = new FrameConnection(conn, MAX_UPWARD_BYTES);
    return { pid: child.pid, connection, ended, kill };
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
}
