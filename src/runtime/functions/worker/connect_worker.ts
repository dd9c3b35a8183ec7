/**
 * @module Connects a worker to the platform. The worker then gives up all permissions permanently,
 * before it loads a function.
 */
import { FrameConnection } from "../../process/frames/frame_connection.ts";
import { MAX_PAYLOAD_BYTES } from "../../process/frames/frame.ts";
import { MAX_WORKER_BACKLOG_BYTES } from "../limits.ts";
import { FunctionFrame, type WorkerIdentity } from "../wire.ts";

const PERMISSIONS = [
  "read",
  "write",
  "net",
  "env",
  "run",
  "sys",
  "ffi",
  "import",
] as const;

/**
 * Returns this thread's permissions, including partial permissions. The runtime reports some of
 * them; others are found by trying to use them.
 */
export async function permissionsLeft(socketPath: string): Promise<string[]> {
  const left: string[] = PERMISSIONS.filter((name) => {
    const { state, partial } = Deno.permissions.querySync({ name });
    return state === "granted" || partial;
  });
  const tries: Readonly<Record<string, () => unknown>> = {
    "read from the socket": () => Deno.lstatSync(socketPath),
    "write to the socket": () => Deno.chmodSync(socketPath, 0o600),
    "connection to the socket": async () => {
      (await Deno.connect({ transport: "unix", path: socketPath })).close();
    },
  };
  for (const [name, attempt] of Object.entries(tries)) {
    try {
      await attempt();
      left.push(name);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotCapable)) left.push(name);
    }
  }
  return left;
}

/**
 * Connects to the platform, gives up all permissions, and identifies itself.
 *
 * @throws Error if there is no platform, or a permission remains
 */
export async function connectWorker(
  { socketPath, number, key }: WorkerIdentity,
): Promise<FrameConnection> {
  const conn = await Deno.connect({ transport: "unix", path: socketPath });
  for (const name of PERMISSIONS) Deno.permissions.revokeSync({ name });
  const left = await permissionsLeft(socketPath);
  if (left.length > 0) throw new Error(`The worker still has permissions: ${left.join(", ")}`);
  const connection = new FrameConnection(conn, MAX_PAYLOAD_BYTES, {
    maxQueued: MAX_WORKER_BACKLOG_BYTES,
  });
  const payload = new TextEncoder().encode(key);
  connection.send({ type: FunctionFrame.hello, worker: number, id: 0, payload });
  return connection;
}
