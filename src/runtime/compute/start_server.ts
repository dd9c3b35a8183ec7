/** @module Starts a server's process, and reads its output. */
import { join } from "node:path";
import type { GroupLimits } from "../../lib/control_groups.ts";
import { readPieces } from "../../lib/read_pieces.ts";
import { FairShare } from "../process/frames/fair_share.ts";
import { FrameConnection } from "../process/frames/frame_connection.ts";
import type { AttendedProcess } from "../process/attend_process.ts";
import type { ProcessCommand } from "../process/self_command.ts";
import { startProcess } from "../process/start_process.ts";
import { MAX_OUTPUT_BYTES_PER_SECOND } from "./limits.ts";
import { LineSplitter } from "./lines.ts";
import { CONTROL_SOCKET, MAX_FRAME_BYTES, SERVER_SOCKET } from "./wire.ts";

/** Prefix of the names of the server processes' private folders. */
const FOLDER_PREFIX = "svc-cs-";

/**
 * Maximum length that a socket adds to the path of the parent folder, in bytes. This assumes that
 * the random part of the path is long.
 */
export const SOCKET_PATH_BYTES = `/${FOLDER_PREFIX}${"x".repeat(32)}/${CONTROL_SOCKET}`.length;

/** How long to keep reading a process's output after the process has exited, in milliseconds. */
const OUTPUT_MS = 100;

/** A line that the process wrote to its own output. */
export type TakeLine = (stream: "stdout" | "stderr", line: string) => void;

export interface StartServerOptions {
  /** Called with the lines of the process's own output. */
  readonly take: TakeLine;
  /**
   * Parent folder of the process's private folder; by default, the system's folder for temporary
   * files.
   */
  readonly socketsDir?: string | undefined;
  /** Limits of the process's control group, if the platform has such groups. */
  readonly group: GroupLimits;
}

/** A process of a server that has connected to the platform. */
export interface RunningServer extends AttendedProcess {
  readonly pid: number;
  /** Returns true once the process was killed because its control group ran out of memory. */
  ranOut(): boolean;
  /** Opens a connection to the server. */
  dial(): Promise<Deno.Conn>;
}

export type StartServer = (
  command: (folder: string) => ProcessCommand | Promise<ProcessCommand>,
  options: StartServerOptions,
) => Promise<RunningServer>;

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
 * @throws Error if it exits first, or does not connect in time
 */
export const startServer: StartServer = async (command, { take, socketsDir, group }) => {
  let reported = false;
  const { pid, folder, conn, listener, ended, ranOut, kill } = await startProcess({
    name: "The server's process",
    folderPrefix: FOLDER_PREFIX,
    parentFolder: socketsDir,
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
    group,
  });
  listener.close();
  const connection = new FrameConnection(conn, MAX_FRAME_BYTES, { share: new FairShare() });
  const path = join(folder, SERVER_SOCKET);
  return {
    pid,
    connection,
    ended,
    ranOut,
    kill,
    close: () => connection.close(),
    dial: () => Deno.connect({ transport: "unix", path }),
  };
};
