import assert from "node:assert/strict";
import { join } from "node:path";
import { FairShare } from "./fair_share.ts";
import { concat, encodeFrame, HEADER_BYTES, ProtocolError } from "./frame.ts";
import { FRAME_COST_BYTES, FrameConnection } from "./frame_connection.ts";
import { until } from "../../../lib/_test_until.ts";

const frame = (id: number, size: number) => ({
  type: 40,
  worker: 0,
  id,
  payload: new Uint8Array(size),
});

/** The size that a frame with 1000 bytes counts as in the queue. */
const COST_OF_1000 = HEADER_BYTES + 1000 + FRAME_COST_BYTES;

/** Opens both ends of a Unix socket. */
async function pair() {
  const folder = await Deno.makeTempDir({ prefix: "svc-conn-" });
  const path = join(folder, "s");
  using listener = Deno.listen({ transport: "unix", path });
  const [near, far] = await Promise.all([
    Deno.connect({ transport: "unix", path }),
    listener.accept(),
  ]);
  await Deno.remove(folder, { recursive: true });
  return { near, far };
}

Deno.test("FrameConnection writes all frames of one turn together, in order", async () => {
  const { near, far } = await pair();
  const connection = new FrameConnection(near);
  for (let id = 0; id < 100; id++) connection.send(frame(id, 1));
  const bytes = new Uint8Array(10_000);
  assert.equal(await far.read(bytes), 100 * (HEADER_BYTES + 1));
  connection.close();
  far.close();
});

Deno.test("FrameConnection passes frames to the reader until it is closed", async () => {
  const { near, far } = await pair();
  for (let id = 0; id < 3; id++) await near.write(encodeFrame(frame(id, 0)));
  const connection = new FrameConnection(far);
  const taken: number[] = [];
  await connection.receive(({ id }) => {
    taken.push(id);
    if (id === 1) connection.close();
  });
  assert.deepEqual(taken, [0, 1]);
  near.close();
});

Deno.test("FrameConnection ends with an error if a frame exceeds its limit", async () => {
  const { near, far } = await pair();
  await near.write(encodeFrame(frame(1, 11)));
  const connection = new FrameConnection(far, 10);
  await assert.rejects(connection.receive(() => {}), ProtocolError);
  connection.close();
  near.close();
});

Deno.test("FrameConnection ends if more data is waiting than it can buffer", async () => {
  const { near, far } = await pair();
  const connection = new FrameConnection(near, 1000, { maxQueued: 2 * COST_OF_1000 });
  const receiving = connection.receive(() => {});
  connection.send(frame(1, 1000));
  connection.send(frame(2, 1000));
  connection.send(frame(3, 1));
  await receiving;
  assert.equal(await far.read(new Uint8Array(1)), null, "nothing was written");
  far.close();
});

Deno.test("FrameConnection counts only unwritten frames", async () => {
  const { near, far } = await pair();
  const connection = new FrameConnection(near, 1000, { maxQueued: COST_OF_1000 });
  const bytes = new Uint8Array(4096);
  for (let turn = 0; turn < 5; turn++) {
    connection.send(frame(turn, 1000));
    assert.equal(await far.read(bytes), HEADER_BYTES + 1000);
    await new Promise((resolve) => setTimeout(resolve));
  }
  connection.close();
  far.close();
});

Deno.test("FrameConnection pauses if frames exceed their share, and can end during a pause", async () => {
  const { near, far } = await pair();
  let now = 0;
  const connection = new FrameConnection(far, 10, { share: new FairShare(() => now) });
  await near.write(concat(Array.from({ length: 500 }, (_, at) => encodeFrame(frame(at, 0)))));
  let taken = 0;
  const receiving = connection.receive(() => {
    taken++;
    now += 1000;
  });
  await until(() => taken > 0);
  assert.equal(taken, 64);
  const before = taken;
  connection.close();
  await receiving;
  assert.equal(taken, before);
  near.close();
});
