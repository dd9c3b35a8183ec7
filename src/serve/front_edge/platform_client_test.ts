import assert from "node:assert/strict";
import * as z from "zod";
import { UnavailableError } from "../../lib/unavailable_error.ts";
import { stopServer } from "../../lib/stop_server.ts";
import { EdgeKeyError, PlatformClient } from "./platform_client.ts";

Deno.test("PlatformClient.read() returns the platform's response", async () => {
  const bytes = new TextEncoder().encode('{"name":"Zoë"}');
  const responses = [
    () => new Response(ReadableStream.from([...bytes].map((byte) => Uint8Array.of(byte)))),
    () => new Response(null, { status: 404 }),
    () => new Response(null, { status: 401 }),
    () => new Response(null, { status: 500 }),
    () => new Response("not JSON"),
  ];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => responses.shift()!(),
  );
  const join = new URL(`http://127.0.0.1:${server.addr.port}`);
  const client = new PlatformClient({ join, key: "key" });
  const read = () => client.read("site", z.object({ name: z.string() }));
  try {
    assert.deepEqual(await read(), { name: "Zoë" });
    assert.equal(await read(), undefined);
    await assert.rejects(read(), EdgeKeyError);
    await assert.rejects(read(), UnavailableError);
    await assert.rejects(read(), SyntaxError);
  } finally {
    await stopServer(server);
  }
});
