import { join } from "node:path";
import type { GroupLimits } from "../../lib/control_groups.ts";
import { FrameConnection } from "../process/frames/frame_connection.ts";
import type { AttendedProcess } from "../process/attend_process.ts";
import type { ProcessCommand } from "../process/self_command.ts";
import { startProcess } from "../process/start_process.ts";
import { CALM_PRIORITY, setThreadPriority } from "./cpu_watch.ts";
import { MAX_UPWARD_BYTES } from "./wire.ts";
import { WorkerConnections } from "./worker_connections.ts";

/** Name of the socket in the private folder of a process. */
const SOCKET = "s";

/** A function process that has connected. */
export interface RunningWorkerProcess extends AttendedProcess {
  readonly pid: number;
  /** Returns true once the process was killed because its control group ran out of memory. */
  ranOut(): boolean;
  /** Accepts the connections of the process's workers. */
  readonly workers: WorkerConnections;
  /** The socket that the process connects to. */
  readonly socketPath: string;
}

/**
 * Starts a process and waits until it has connected. The socket exists as long as the process runs.
 *
 * @throws Error if it exits first, or does not connect in time
 */
export async function startWorkerProcess(
  command: (socketPath: string) => ProcessCommand,
  { folderPrefix = "svc-fn-", group }: {
    readonly folderPrefix?: string | undefined;
    /** Limits of the process's control group, if the platform uses control groups. */
    readonly group: GroupLimits;
  },
): Promise<RunningWorkerProcess> {
  const { pid, folder, conn, listener, ended, limit, ranOut, kill } = await startProcess({
    name: "A function process",
    folderPrefix,
    socketName: SOCKET,
    command: (folder) => command(join(folder, SOCKET)),
    // The process's threads inherit the low priority, so the platform has priority on a busy
    // machine from the start.
    spawned: (child) => setThreadPriority(child, CALM_PRIORITY),
  });
  limit(group);
  const connection = new FrameConnection(conn, MAX_UPWARD_BYTES);
  const workers = new WorkerConnections(listener);
  const close = (): void => {
    connection.close();
    workers.close();
  };
  const closeWorkers = () => workers.close();
  ended.then(closeWorkers, closeWorkers);
  const socketPath = join(folder, SOCKET);
  return { pid, socketPath, connection, workers, ended, ranOut, kill, close };
}
