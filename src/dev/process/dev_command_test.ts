import assert from "node:assert/strict";
import { until } from "../../lib/_test_until.ts";
import { unusedPort } from "../../lib/unused_port.ts";
import { DevCommand } from "./dev_command.ts";

Deno.test({
  name: "DevCommand starts one process even if start() is called twice",
  ignore: Deno.build.os === "windows",
  async fn() {
    const lines: string[] = [];
    const port = unusedPort();
    const command = new DevCommand({
      name: "dev server",
      start: () => ({
        command: "echo started; exec sleep 60",
        cwd: "/",
        env: { PATH: Deno.env.get("PATH") ?? "" },
        wanted: { hostname: "127.0.0.1", port },
        fixed: true,
        notIts: new Set<number>(),
        onLine: (line) => lines.push(line),
      }),
      listening: () => {},
      ended: () => {},
    });
    command.start();
    command.start();
    await until(() => lines.length > 0);
    const listener = Deno.listen({ hostname: "127.0.0.1", port });
    assert.deepEqual(await command.address, { hostname: "127.0.0.1", port });
    listener.close();
    await command.stop();
    assert.deepEqual(lines, ["started"]);
  },
});
