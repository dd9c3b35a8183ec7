import assert from "node:assert/strict";
import { join } from "node:path";
import type { Frame } from "../process/frames/frame.ts";
import { FrameConnection } from "../process/frames/frame_connection.ts";
import { FunctionFrame, MAX_UPWARD_BYTES } from "./wire.ts";
import { WorkerConnections } from "./worker_connections.ts";
import { until } from "../../lib/_test_until.ts";

const encoder = new TextEncoder();

/** Listens for connections on a separate socket, and records the events of the accepted workers. */
async function openLines(helloMs?: number) {
  const folder = await Deno.makeTempDir({ prefix: "svc-lines-" });
  const path = join(folder, "s");
  const lines = new WorkerConnections(
    Deno.listen({ transport: "unix", path }),
    helloMs === undefined ? {} : { helloMs },
  );
  const happened: string[] = [];
  const seen = Promise.withResolvers<void>();
  const note = (what: string): void => {
    happened.push(what);
    if (what.startsWith("closed")) seen.resolve();
  };
  return {
    lines,
    happened,
    ended: seen.promise,
    expect: (worker: number): string =>
      lines.expect(worker, {
        opened: (connection) => {
          note(`opened ${worker}`);
          connection.send({ type: FunctionFrame.start, worker: 0, id: 0 });
        },
        take: (frame) => note(`took ${frame.type} of ${worker}`),
        closed: (problem) => note(`closed ${worker}: ${problem}`),
      }),
    connect: () => Deno.connect({ transport: "unix", path }),
    async [Symbol.asyncDispose]() {
      lines.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/**
 * Returns the response to a connection's first frame, or `undefined` if the connection is closed.
 */
async function answer(conn: Deno.Conn, type: number, worker: number, text: string) {
  const connection = new FrameConnection(conn);
  connection.send({ type, worker, id: 0, payload: encoder.encode(text) });
  const first = Promise.withResolvers<Frame | undefined>();
  void connection.receive((frame) => first.resolve(frame)).then(() => first.resolve(undefined));
  return { connection, frame: await first.promise };
}

Deno.test("WorkerConnections identifies a worker by its key, then receives its frames", async () => {
  await using place = await openLines();
  const key = place.expect(7);
  const { connection, frame } = await answer(await place.connect(), FunctionFrame.hello, 7, key);
  assert.equal(frame?.type, FunctionFrame.start);
  connection.send({ type: FunctionFrame.ready, worker: 8, id: 0 });
  connection.send({ type: FunctionFrame.hello, worker: 8, id: 0, payload: encoder.encode(key) });
  connection.send({ type: FunctionFrame.log, worker: 8, id: 0 });
  await until(() => place.happened.length === 4);
  connection.close();
  await place.ended;
  assert.deepEqual(place.happened, [
    "opened 7",
    `took ${FunctionFrame.ready} of 7`,
    `took ${FunctionFrame.hello} of 7`,
    `took ${FunctionFrame.log} of 7`,
    "closed 7: undefined",
  ]);
});

Deno.test("WorkerConnections closes unexpected connections", async (t) => {
  await using place = await openLines();
  const [key, other] = [place.expect(1), place.expect(2)];
  const rows: readonly (readonly [string, number, number, string])[] = [
    ["a wrong key", FunctionFrame.hello, 1, "0".repeat(64)],
    ["another worker's key", FunctionFrame.hello, 1, other],
    ["no key", FunctionFrame.hello, 1, ""],
    ["part of the key", FunctionFrame.hello, 1, key.slice(0, 63)],
    ["an unknown worker", FunctionFrame.hello, 3, key],
    ["another frame first", FunctionFrame.ready, 1, key],
  ];
  for (const [name, type, id, text] of rows) {
    await t.step(name, async () => {
      const { connection, frame } = await answer(await place.connect(), type, id, text);
      assert.equal(frame, undefined);
      connection.close();
    });
  }
  await t.step("the correct key works afterwards, but only once", async () => {
    const first = await answer(await place.connect(), FunctionFrame.hello, 1, key);
    assert.equal(first.frame?.type, FunctionFrame.start);
    const second = await answer(await place.connect(), FunctionFrame.hello, 1, key);
    assert.equal(second.frame, undefined);
    second.connection.close();
    first.connection.close();
    await place.ended;
  });
  assert.deepEqual(place.happened, ["opened 1", "closed 1: undefined"]);
});

Deno.test("WorkerConnections waits only a limited time for a greeting", async () => {
  await using place = await openLines(10);
  place.expect(1);
  using conn = await place.connect();
  assert.equal(await conn.read(new Uint8Array(1)), null);
});

Deno.test("WorkerConnections limits waiting connections to the number of expected workers", async () => {
  await using place = await openLines();
  place.expect(1);
  using first = await place.connect();
  using second = await place.connect();
  assert.equal(await second.read(new Uint8Array(1)), null);
  place.lines.close();
  assert.equal(await first.read(new Uint8Array(1)), null);
});

Deno.test("WorkerConnections stops a worker that sends an oversized frame", async () => {
  await using place = await openLines();
  const key = place.expect(1);
  const { connection } = await answer(await place.connect(), FunctionFrame.hello, 1, key);
  const payload = new Uint8Array(MAX_UPWARD_BYTES + 1);
  connection.send({ type: FunctionFrame.chunk, worker: 1, id: 1, payload });
  await place.ended;
  connection.close();
  assert.match(
    place.happened.at(-1) ?? "",
    /^closed 1: A frame has 524289 bytes; the limit is 524288$/,
  );
});

Deno.test("WorkerConnections.drop() ends the connection or the wait for it", async () => {
  await using place = await openLines();
  const [first, second] = [place.expect(1), place.expect(2)];
  place.lines.drop(2);
  const { connection } = await answer(await place.connect(), FunctionFrame.hello, 1, first);
  const late = await answer(await place.connect(), FunctionFrame.hello, 2, second);
  assert.equal(late.frame, undefined);
  late.connection.close();
  place.lines.drop(1);
  await place.ended;
  connection.close();
});
