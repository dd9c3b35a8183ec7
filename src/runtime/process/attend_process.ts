import type { Frame } from "./frames/frame.ts";
import type { FrameConnection } from "./frames/frame_connection.ts";

/** A connected process, as its supervisor sees it. */
export interface AttendedProcess {
  readonly connection: FrameConnection;
  /** Resolves with the process's last output once the process has exited. */
  readonly ended: Promise<string>;
  /** Kills the process immediately. */
  kill(): void;
  /** Closes all connections to the process. */
  close(): void;
}

/**
 * Handles a process's frames until it closes the connection or violates the protocol, and then
 * kills the process. Reports a violation to `failed`.
 *
 * @returns the process's last output once it has exited
 */
export async function attendProcess(
  process: AttendedProcess,
  { take, failed }: {
    readonly take: (frame: Frame) => void;
    readonly failed: (error: unknown) => void;
  },
): Promise<string> {
  await process.connection.receive(take).catch(failed);
  process.kill();
  process.close();
  return await process.ended;
}
