/**
 * How Node is run for a server. Pure.
 *
 * @module
 */
import { join } from "node:path";
import type { ServerStart } from "../compute/wire.ts";
import type { PreloadStart } from "./preload/start.ts";
import type { NodeCommand, NodeView } from "./sandbox/mod.ts";

/** What the preload of a server has to know. */
export function preloadStart(
  { entry, port, host }: ServerStart,
  { directory, controlSocket: control, serverSocket: socket }: NodeView,
): PreloadStart {
  return { directory, entry: join(directory, entry), control, socket, port, host };
}

/** Arguments and environment of Node; the preload is the first of the further files. */
export function nodeCommand(
  { entry, env, port, host, memoryMb }: ServerStart,
  { directory, tmp, files: [preload] }: NodeView,
): NodeCommand {
  return {
    args: [
      "--enable-source-maps",
      // With less to take, it collects garbage sooner.
      `--max-old-space-size=${memoryMb}`,
      "--require",
      preload!,
      join(directory, entry),
    ],
    env: {
      NODE_ENV: "production",
      // Its user is known to no table of users: without this, os.homedir() throws.
      HOME: tmp,
      ...env,
      PORT: String(port),
      HOST: host,
    },
  };
}
