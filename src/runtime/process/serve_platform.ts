/**
 * @module The process's side of the connection: serves the platform, and exits when the connection
 * closes.
 */
import { constants, setPriority } from "node:os";
import type { Frame } from "./frames/frame.ts";
import { FrameConnection } from "./frames/frame_connection.ts";

interface ServePlatformOptions {
  /** Path of the platform's Unix socket. */
  readonly socketPath: string;
  /** Maximum size of a payload from the platform, in bytes; by default, the usual limit. */
  readonly maxPayload?: number;
  /** Called with the connection. Returns the handler for its frames. */
  readonly begin: (connection: FrameConnection) => (frame: Frame) => void;
  /** Called when the platform has disconnected, just before the process exits. */
  readonly orphaned?: () => void;
}

/**
 * Gives the platform priority on a busy machine. Processes that run project code inherit the lower
 * priority.
 */
export function yieldToPlatform(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch { /* not allowed here: servers then compete with the platform */ }
}

/** Exits the process. The platform keeps the process's last output for the log. */
export function endWith(words: string): never {
  Deno.stderr.writeSync(new TextEncoder().encode(words));
  Deno.exit(1);
}

/**
 * Serves the platform until the connection closes, then exits. When the platform stops, it stops
 * its processes itself, so this process ignores signals to the process group.
 */
export async function servePlatform(
  { socketPath, maxPayload, begin, orphaned }: ServePlatformOptions,
): Promise<never> {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => {});
  }
  const conn = await Deno.connect({ transport: "unix", path: socketPath });
  const connection = new FrameConnection(conn, maxPayload);
  const take = begin(connection);
  try {
    await connection.receive(take);
    orphaned?.();
  } catch (error) {
    endWith(String(error));
  }
  Deno.exit(0);
}
