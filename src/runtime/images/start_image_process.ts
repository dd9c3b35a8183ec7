import { join } from "node:path";
import { FrameConnection } from "../process/frames/frame_connection.ts";
import type { AttendedProcess } from "../process/attend_process.ts";
import type { ProcessCommand } from "../process/self_command.ts";
import { startProcess } from "../process/start_process.ts";
import { MAX_RESULT_BYTES } from "./limits.ts";

/** Prefix of the private folders of image processes. */
const FOLDER_PREFIX = "svc-im-";

/** Name of the socket in the private folder of a process. */
const SOCKET = "s";

/** An image process that has connected. */
export interface RunningImageProcess extends AttendedProcess {
  readonly pid: number;
}

type StartImageProcess = (
  command: (socketPath: string) => ProcessCommand,
  folderPrefix?: string,
) => Promise<RunningImageProcess>;

/**
 * Starts a process and waits until it has connected.
 *
 * @throws Error if it exits first, or does not connect in time
 */
export const startImageProcess: StartImageProcess = async (
  command,
  folderPrefix = FOLDER_PREFIX,
) => {
  const { pid, conn, listener, ended, kill } = await startProcess({
    name: "The process that converts images",
    folderPrefix,
    socketName: SOCKET,
    command: (folder) => command(join(folder, SOCKET)),
  });
  listener.close();
  const connection = new FrameConnection(conn, MAX_RESULT_BYTES);
  return { pid, connection, ended, kill, close: () => connection.close() };
};
