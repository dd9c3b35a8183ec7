/** @module Tells systemd that the platform is ready (sd_notify(3)). */
import { join } from "node:path";
import { makeHeldFolder } from "../../lib/held_folders.ts";
import type { Environment } from "../session/global_flags.ts";

/**
 * Tells the service manager that this process is the main process and is ready. Does nothing
 * without a service manager.
 *
 * @throws like `Deno.DatagramConn#send`, if its socket is unreachable.
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
