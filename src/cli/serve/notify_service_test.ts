import assert from "node:assert/strict";
import { join } from "node:path";
import { notifyService } from "./notify_service.ts";

Deno.test({
  name: "notifyService() tells the service manager which process is the main one",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "svc-manager-" });
    const path = join(folder, "notify");
    const manager = Deno.listenDatagram({ transport: "unixpacket", path });
    try {
      await notifyService({ NOTIFY_SOCKET: path }, 4711);
      const [message] = await manager.receive();
      assert.equal(new TextDecoder().decode(message), "READY=1\nMAINPID=4711\n");
    } finally {
      manager.close();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("notifyService() does nothing without a service manager", async () => {
  await notifyService({});
});
