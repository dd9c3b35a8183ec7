import assert from "node:assert/strict";
import { join } from "node:path";
import { RequestPasser } from "./pass_requests.ts";
import { takeRequests } from "./take_requests.ts";

Deno.test({
  name: "takeRequests() passes on a body only if the client sent one",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "svc-take-" });
    const passer = new RequestPasser((message) => assert.fail(message));
    const path = join(folder, "requests");
    const answer = async (request: Request) =>
      Response.json([request.method, request.body === null, await request.text()]);
    const server = takeRequests(path, { http: answer, https: answer });
    passer.passTo(path);
    const send = async (init: RequestInit) => {
      const connection = { remoteAddress: "127.0.0.1", scheme: "http", hold: () => {} } as const;
      const request = new Request("http://kiosk.localhost/", init);
      return await (await passer.pass(request, connection)).json();
    };
    try {
      assert.deepEqual(await send({ method: "DELETE" }), ["DELETE", true, ""]);
      assert.deepEqual(await send({ method: "POST", body: "text" }), ["POST", false, "text"]);
    } finally {
      passer.close();
      await server.close();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
