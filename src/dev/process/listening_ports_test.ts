import assert from "node:assert/strict";
import { listeningPorts, parseGroup, parseListeners } from "./listening_ports.ts";
import { startGroup } from "./process_group.ts";
import { until } from "../../lib/_test_until.ts";

const TABLE =
  `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1
   1: 0100007F:1F91 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 4712 1
`;

Deno.test("parseListeners() finds listening ports by the inode of their socket", () => {
  assert.deepEqual([...parseListeners(TABLE)], [["4711", 8080]]);
});

Deno.test("parseGroup() is not misled by the name of a process", () => {
  assert.equal(parseGroup("12 (a) 1 (b) S 1 34 34 0 -1"), 34);
});

Deno.test({
  name: "listeningPorts() finds the port of a process that a group has started",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const listen = "require('net').createServer().listen(0, '127.0.0.1')";
    const group = startGroup({
      command: `node -e "${listen}" & wait`,
      cwd: "/",
      env: { PATH: Deno.env.get("PATH") ?? "" },
    });
    try {
      const [port] = await until(() => listeningPorts(group.pid), (ports) => ports.length > 0);
      (await Deno.connect({ hostname: "127.0.0.1", port: port! })).close();
    } finally {
      await group.stop();
      await Promise.all([group.stdout.cancel(), group.stderr.cancel()]);
    }
  },
});
