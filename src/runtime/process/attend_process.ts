/**
 * Listening to a process until its end.
 *
 * @module
 */
import type { Frame } from "./frames/frame.ts";
import type { FrameConnection } from "./frames/frame_connection.ts";

/** A process that has connected, as its supervisor listens to it. */
export interface AttendedProcess {
  readonly connection: FrameConnection;
  /** Resolves with the process's last words when it has ended. */
  readonly ended: Promise<string>;
  /** Ends it at once. */
  kill(): void;
  /** Closes all connections with it. */
  close(): void;
}

/**
 * Takes the frames of a process until it closes the connection or breaks the
 * protocol, which `failed` is called with; then ends the process.
 *
 * @returns its last words, once it has ended
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
