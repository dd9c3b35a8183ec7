/**
 * The process of a server: started, connected, its output read, its end told.
 *
 * @module
 */
import { join } from "node:path";
import { FrameConnection } from "../functions/connection.ts";
import { FairShare } from "../functions/fair_share.ts";
import type { ProcessCommand } from "../functions/types.ts";
import { MAX_OUTPUT_BYTES_PER_SECOND } from "./limits.ts";
import { LineCutter } from "./lines.ts";
import { CONTROL_SOCKET, MAX_FRAME_BYTES, SERVER_SOCKET } from "./wire.ts";
import { spawnProgram } from "../../lib/spawn_program.ts";

/** Longest time from the start of the process to its connection. */
const CONNECT_MS = 15_000;

/** What is kept of the last words of a process, in characters. */
const LAST_WORDS = 600;

/** Private folders of processes are told from others by it. */
const FOLDER_PREFIX = "svc-cs-";

/** Bytes that a socket's path takes beyond the folder for private folders; the random part is taken long. */
export const SOCKET_PATH_BYTES = `/${FOLDER_PREFIX}${"x".repeat(32)}/${CONTROL_SOCKET}`.length;

/** A line that the process wrote to its own output. */
export type TakeLine = (stream: "stdout" | "stderr", line: string) => void;

export interface StartServerOptions {
  /** Gets the lines of the process's own output. */
  readonly take: TakeLine;
  /** Folder for its private folder; that for temporary files where missing. */
  readonly socketsDir?: string | undefined;
}

export interface RunningServer {
  readonly pid: number;
  readonly connection: FrameConnection;
  /** Resolves with the process's last words when it has ended. */
  readonly ended: Promise<string>;
  /** Opens a connection to the server. */
  dial(): Promise<Deno.Conn>;
  /** Ends the process at once. */
  kill(): void;
}

/** Reads lines, no faster than they may be logged: a flood makes its writer wait. */
async function readLines(
  stream: ReadableStream<Uint8Array>,
  take: (line: string) => void,
): Promise<void> {
  const lines = new LineCutter(take);
  let second = 0;
  let bytes = 0;
  for await (const chunk of stream) {
    const now = performance.now();
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000);
      bytes = 0;
    }
    bytes += chunk.byteLength;
    lines.write(chunk);
    if (bytes > MAX_OUTPUT_BYTES_PER_SECOND) {
      await new Promise((resolve) => setTimeout(resolve, 1000 - now % 1000));
    }
  }
  lines.end();
}

async function acceptWithin(
  listener: Deno.UnixListener,
  child: Deno.ChildProcess,
): Promise<Deno.Conn> {
  const close = (): void => {
    try {
      listener.close();
    } catch { /* it is closed already */ }
  };
  const giveUp = setTimeout(close, CONNECT_MS);
  void child.status.then(close);
  try {
    return await listener.accept();
  } finally {
    clearTimeout(giveUp);
    close();
  }
}

/**
 * Starts a process and waits until it has connected.
 *
 * @throws Error where it ends or says nothing before
 */
export async function startServer(
  spawn: (folder: string) => ProcessCommand,
  { take, socketsDir }: StartServerOptions,
): Promise<RunningServer> {
  const folder = await Deno.makeTempDir({
    prefix: FOLDER_PREFIX,
    ...(socketsDir === undefined ? {} : { dir: socketsDir }),
  });
  const remove = (): Promise<void> => Deno.remove(folder, { recursive: true }).catch(() => {});
  try {
    const listener = Deno.listen({ transport: "unix", path: join(folder, CONTROL_SOCKET) });
    const { command, args, env } = spawn(folder);
    const child = spawnProgram(command, {
      args: [...args],
      env: { ...env },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
    let words = "";
    let told = false;
    const output = Promise.all([
      readLines(child.stdout, (line) => take("stdout", line)),
      readLines(child.stderr, (line) => {
        words = `${words}\n${line}`.slice(-LAST_WORDS);
        // The server's thread tells its errors itself.
        told ||= line.startsWith('error: Uncaught (in worker "server")') ||
          line.startsWith("error: Uncaught (in promise)");
        if (!told) take("stderr", line);
      }),
    ]).catch(() => {});
    const ended = child.status.then(async ({ code, signal }) => {
      await Promise.race([output, new Promise((resolve) => setTimeout(resolve, 100))]);
      await remove();
      return `${words.trim()} (${signal === null ? `code ${code}` : signal})`.trim();
    });
    const kill = (): void => {
      try {
        child.kill("SIGKILL");
      } catch { /* it has ended already */ }
    };
    const conn = await acceptWithin(listener, child).catch(async () => {
      kill();
      throw new Error(`The process of the server did not start: ${await ended}`);
    });
    const path = join(folder, SERVER_SOCKET);
    return {
      pid: child.pid,
      connection: new FrameConnection(conn, MAX_FRAME_BYTES, { share: new FairShare() }),
      ended,
      dial: () => Deno.connect({ transport: "unix", path }),
      kill,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
