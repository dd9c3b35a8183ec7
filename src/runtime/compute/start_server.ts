/** @module Starts a process for a server, and reads its output. */
import { join } from "node:path";
import type { GroupLimits } from "../../lib/control_groups.ts";
import { readPieces } from "../../lib/read_pieces.ts";
import { FairShare } from "../process/frames/fair_share.ts";
import { FrameConnection } from "../process/frames/frame_connection.ts";
import type { AttendedProcess } from "../process/attend_process.ts";
import type { ProcessCommand } from "../process/self_command.ts";
import { startProcess } from "../process/start_process.ts";
import { LineSplitter } from "./lines.ts";
import { CONTROL_SOCKET, MAX_FRAME_BYTES, SERVER_SOCKET } from "./wire.ts";

/** Prefix of the names of the server processes' private folders. */
const FOLDER_PREFIX = "svc-cs-";

/**
 * Maximum length that a socket adds to the path of the parent folder, in bytes. This assumes that
 * the random part of the path is long.
 */
export const SOCKET_PATH_BYTES = `/${FOLDER_PREFIX}${"x".repeat(32)}/${CONTROL_SOCKET}`.length;

/**
 * Number of bytes to read per second from the output of a process. A process that writes more has
 * to wait.
 */
const MAX_OUTPUT_BYTES_PER_SECOND = 1024 * 1024;

/** How long to keep reading a process's output after the process has exited, in milliseconds. */
const OUTPUT_MS = 100;

/** A line that the process wrote to its own output. */
type TakeLine = (stream: "stdout" | "stderr", line: string) => void;

export interface StartServerOptions {
  /** Called with the lines of the process's own output. */
  readonly take: TakeLine;
  /** Limits of the process's control group, if the platform has such groups. */
  readonly group: GroupLimits;
}

/** A server's process, which has connected to the platform. */
export interface RunningServer extends AttendedProcess {
  readonly pid: number;
  /** Returns true once the process was killed because its control group ran out of memory. */
  ranOut(): boolean;
  /** Opens a connection to the server. */
  dial(): Promise<Deno.Conn>;
}

/** A process that has connected to the platform and waits for a server. */
export interface WaitingProcess {
  /** Resolves with the process's last output once the process has exited. */
  readonly ended: Promise<string>;
  /** Assigns the process to a server. Must be called only once. */
  assign(options: StartServerOptions): RunningServer;
  hasExited(): boolean;
  kill(): void;
}

/** Reads lines no faster than the log allows. A process that writes more has to wait. */
async function readLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (line: string) => void,
): Promise<void> {
  const lines = new LineSplitter(take);
  let second = 0;
  let bytes = 0;
  for await (const chunk of readPieces(stream)) {
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

/**
 * Returns whether a line belongs to the runtime's own report of an error that the server's thread
 * has already reported.
 */
const isReported = (line: string): boolean =>
  line.startsWith('error: Uncaught (in worker "server")') ||
  line.startsWith("error: Uncaught (in promise)");

/**
 * Starts a process and waits until it has connected.
 *
 * @param parentFolder parent of the process's private folder; by default, the system's folder for
 *   temporary files
 * @throws Error if the process exits first, or does not connect in time
 */
export async function startWaiting(
  command: (folder: string) => ProcessCommand | Promise<ProcessCommand>,
  parentFolder?: string,
): Promise<WaitingProcess> {
  let reported = false;
  const early: Parameters<TakeLine>[] = [];
  let take: TakeLine = (...line) => void early.push(line);
  const { pid, folder, conn, listener, ended, limit, ranOut, kill } = await startProcess({
    name: "The server's process",
    folderPrefix: FOLDER_PREFIX,
    parentFolder,
    socketName: CONTROL_SOCKET,
    command,
    readOutput: (stream) => readLines(stream, (line) => take("stdout", line)),
    readErrors: (stream, words) =>
      readLines(stream, (line) => {
        words.add(`\n${line}`);
        reported ||= isReported(line);
        if (!reported) take("stderr", line);
      }),
    outputMs: OUTPUT_MS,
  });
  listener.close();
  const connection = new FrameConnection(conn, MAX_FRAME_BYTES, { share: new FairShare() });
  const path = join(folder, SERVER_SOCKET);
  let exited = false;
  const noteEnd = () => void (exited = true);
  ended.then(noteEnd, noteEnd);
  return {
    ended,
    hasExited: () => exited,
    kill,
    assign(options) {
      limit(options.group);
      take = options.take;
      for (const line of early) take(...line);
      return {
        pid,
        connection,
        ended,
        ranOut,
        kill,
        close: () => connection.close(),
        dial: () => Deno.connect({ transport: "unix", path }),
      };
    },
  };
}
