import assert from "node:assert/strict";
import { exists } from "node:fs";
import { dirname, join } from "node:path";
import { encodeFrame } from "../process/frames/frame.ts";
import { functionProcessCommand } from "./process_command.ts";
import { FunctionFrame } from "./wire.ts";

/**
 * Starts a function process with this test as its platform. Returns its connection, and how it
 * ended.
 */
async function startAlone() {
  const folder = await Deno.makeTempDir({ prefix: "svc-main-" });
  const path = join(folder, "s");
  using listener = Deno.listen({ transport: "unix", path });
  const { command, args, env } = functionProcessCommand({ env: Deno.env.toObject() })(path);
  const child = new Deno.Command(command, {
    args: [...args],
    env: { ...env },
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  return { path, line: await listener.accept(), output: child.output() };
}

const folderIsThere = (path: string): Promise<boolean> =>
  new Promise((resolve) => exists(dirname(path), resolve));

const GARBAGE: Readonly<Record<string, Uint8Array>> = {
  "bytes that are not a frame": new Uint8Array(64).fill(0xff),
  "a frame for a worker": encodeFrame({ type: FunctionFrame.invoke, worker: 1, id: 2 }),
  "a frame that only the process sends": encodeFrame({
    type: FunctionFrame.exited,
    worker: 1,
    id: 0,
  }),
};

for (const [name, bytes] of Object.entries(GARBAGE)) {
  Deno.test(`a function process that receives ${name} exits with an error message`, async () => {
    const { path, line, output } = await startAlone();
    await line.write(bytes);
    const { code, stderr } = await output;
    assert.equal(code, 1);
    assert.match(new TextDecoder().decode(stderr), /^ProtocolError: /);
    line.close();
    await Deno.remove(dirname(path), { recursive: true });
  });
}

Deno.test("a function process that loses its platform exits and removes its socket", async () => {
  const { path, line, output } = await startAlone();
  await line.write(encodeFrame({ type: FunctionFrame.stop, worker: 5, id: 0 }));
  assert.equal(await folderIsThere(path), true);
  line.close();
  assert.equal((await output).code, 0);
  assert.equal(await folderIsThere(path), false);
});
