import assert from "node:assert/strict";
import { join } from "node:path";
import { RequestPasser } from "./pass_requests.ts";
import { stopServer } from "../../lib/stop_server.ts";

/** More connections than a socket can queue before they are accepted. */
const WAITING = 1500;

Deno.test({
  name: "RequestPasser passes on more waiting requests than a socket can queue",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "svc-pass-" });
    const troubles: string[] = [];
    const passer = new RequestPasser((message) => troubles.push(message));
    const path = join(folder, "requests");
    const server = Deno.serve(
      { path, onListen: () => {} },
      ({ headers }) => new Response(headers.get("x-number")),
    );
    try {
      const waiting = Array.from({ length: WAITING }, async (_, number) => {
        const headers = { "x-number": `${number}` };
        const request = new Request("http://kiosk.localhost/", { headers });
        const connection = { remoteAddress: "127.0.0.1", scheme: "http", hold: () => {} } as const;
        const response = await passer.pass(request, connection);
        return `${response.status} ${await response.text()}`;
      });
      passer.passTo(path);
      const expected = Array.from({ length: WAITING }, (_, number) => `200 ${number}`);
      assert.deepEqual(await Promise.all(waiting), expected, troubles.join("\n"));
    } finally {
      passer.close();
      await stopServer(server);
      await Deno.remove(folder, { recursive: true });
    }
  },
});
