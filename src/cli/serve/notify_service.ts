/**
 * Telling systemd that the platform answers (sd_notify(3)).
 *
 * @module
 */
import { join } from "node:path";
import type { Environment } from "../session/mod.ts";

/**
 * Says that this process is the service's main one, and ready; does nothing where no
 * service manager listens.
 *
 * @throws as `Deno.DatagramConn#send`, where it listens at a place that cannot be reached.
 */
export async function notifyService(env: Environment, pid: number = Deno.pid): Promise<void> {
  const path = env.NOTIFY_SOCKET;
  if (path === undefined || path === "" || Deno.build.os !== "linux") return;
  const folder = await Deno.makeTempDir({ prefix: "svc-notify-" });
  try {
    const socket = Deno.listenDatagram({ transport: "unixpacket", path: join(folder, "socket") });
    try {
      const message = new TextEncoder().encode(`READY=1\nMAINPID=${pid}\n`);
      await socket.send(message, { transport: "unixpacket", path });
    } finally {
      socket.close();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
