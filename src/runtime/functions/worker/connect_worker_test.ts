import assert from "node:assert/strict";
import { join } from "node:path";
import type { Frame } from "../../process/frames/frame.ts";
import type { FrameConnection } from "../../process/frames/frame_connection.ts";
import { toPayload } from "../../process/frames/payload.ts";
import { FunctionFrame } from "../wire.ts";
import { WorkerConnections } from "../worker_connections.ts";
import { permissionsLeft } from "./connect_worker.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";

const decoder = new TextDecoder();

Deno.test("permissionsLeft() lists this program's permissions", async () => {
  await inTestFolder(async (folder) => {
    assert.deepEqual(await permissionsLeft(join(folder, "none")), [
      "read",
      "write",
      "net",
      "env",
      "run",
      "sys",
      "ffi",
      "import",
      "read from the socket",
      "write to the socket",
      "connection to the socket",
    ]);
  });
});

/**
 * Loads a function in a worker that starts with these permissions. Resolves with the worker's first
 * message.
 */
async function firstWord(permissions: Deno.PermissionOptions, source: string): Promise<Frame> {
  const folder = await Deno.makeTempDir({ prefix: "svc-open-" });
  const path = join(folder, "s");
  const lines = new WorkerConnections(Deno.listen({ transport: "unix", path }));
  const url = new URL("./worker_main.ts", import.meta.url);
  const worker = new Worker(url, { type: "module", deno: { permissions } });
  const word = Promise.withResolvers<Frame>();
  const key = lines.expect(1, {
    opened: (connection: FrameConnection) =>
      connection.send({
        type: FunctionFrame.start,
        worker: 0,
        id: 0,
        payload: toPayload({ name: "f", source, env: {} }),
      }),
    take: word.resolve,
    closed: () => word.reject(new Error("The worker closed its connection")),
  });
  worker.onerror = (event) => {
    event.preventDefault();
    word.reject(new Error(event.message));
  };
  worker.postMessage({ socketPath: path, number: 1, key });
  try {
    return await word.promise;
  } finally {
    worker.terminate();
    lines.close();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a worker has no permissions left when its function is loaded", async () => {
  const file = new URL("../../process/concurrency_gate.ts", import.meta.url).href;
  const reads = `await import(${JSON.stringify(file)});\nexport default () => {};`;
  const { type, payload } = await firstWord("inherit", reads);
  assert.equal(type, FunctionFrame.broken);
  assert.match(decoder.decode(payload), /Requires read access/);
  const harmless = await firstWord("inherit", "export default () => {};");
  assert.equal(harmless.type, FunctionFrame.ready);
});

Deno.test("a worker that is not allowed to connect exits and reports why", async () => {
  await assert.rejects(firstWord("none", "export default () => {};"), /NotCapable/);
});
