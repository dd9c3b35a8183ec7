/**
 * Telling systemd that the platform answers (sd_notify(3)).
 *
 * @module
 */
import { join } from "node:path";
import { makeHeldFolder } from "../../lib/held_folders.ts";
import type { Environment } from "../session/global_flags.ts";

/**
 * Says that this process is the service's main one, and ready; does nothing if no service manager
 * listens.
 *
 * @throws as `Deno.DatagramConn#send`, where it listens at a place that cannot be reached.
 */
export async function notifyService(env: Environment, pid: number = Deno.pid): Promise<void> {
  const path = env.NOTIFY_SOCKET;
  if (path === undefined || path === "" || Deno.build.os !== "linux") return;
  await using folder = await makeHeldFolder("notify");
  const own = join(folder.path, "socket");
  const socket = Deno.listenDatagram({ transport: "unixpacket", path: own });
  try {
    const message = new TextEncoder().encode(`READY=1\nMAINPID=${pid}\n`);
    await socket.send(message, { transport: "unixpacket", path });
  } finally {
    socket.close();
  }
}
