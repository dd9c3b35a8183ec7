import assert from "node:assert/strict";
import { join } from "node:path";
import { FrameConnection } from "./connection.ts";
import { type Frame, FrameType, MAX_UPWARD_BYTES } from "./frame.ts";
import { WorkerLines } from "./worker_lines.ts";

const encoder = new TextEncoder();

/** Lines on a socket of their own, and what happened to the workers that were let in. */
async function openLines(helloMs?: number) {
  const folder = await Deno.makeTempDir({ prefix: "svc-lines-" });
  const path = join(folder, "s");
  const lines = new WorkerLines(
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
          connection.send({ type: FrameType.start, worker: 0, id: 0 });
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

/** What a connection is answered to its first frame; `undefined` where it is closed. */
async function answer(conn: Deno.Conn, type: number, worker: number, text: string) {
  const connection = new FrameConnection(conn);
  connection.send({ type, worker, id: 0, payload: encoder.encode(text) });
  const first = Promise.withResolvers<Frame | undefined>();
  void connection.receive((frame) => first.resolve(frame)).then(() => first.resolve(undefined));
  return { connection, frame: await first.promise };
}

Deno.test("WorkerLines knows a worker by its key, and hears it from then on", async () => {
  await using place = await openLines();
  const key = place.expect(7);
  const { connection, frame } = await answer(await place.connect(), FrameType.hello, 7, key);
  assert.equal(frame?.type, FrameType.start);
  connection.send({ type: FrameType.ready, worker: 8, id: 0 });
  connection.send({ type: FrameType.hello, worker: 8, id: 0, payload: encoder.encode(key) });
  connection.send({ type: FrameType.log, worker: 8, id: 0 });
  while (place.happened.length < 4) await new Promise((resolve) => setTimeout(resolve, 1));
  connection.close();
  await place.ended;
  assert.deepEqual(place.happened, [
    "opened 7",
    `took ${FrameType.ready} of 7`,
    `took ${FrameType.hello} of 7`,
    `took ${FrameType.log} of 7`,
    "closed 7: undefined",
  ]);
});

Deno.test("WorkerLines closes whoever is not expected", async (t) => {
  await using place = await openLines();
  const [key, other] = [place.expect(1), place.expect(2)];
  const rows: readonly (readonly [string, number, number, string])[] = [
    ["a wrong key", FrameType.hello, 1, "0".repeat(64)],
    ["a key of another worker", FrameType.hello, 1, other],
    ["no key", FrameType.hello, 1, ""],
    ["a part of the key", FrameType.hello, 1, key.slice(0, 63)],
    ["an unknown worker", FrameType.hello, 3, key],
    ["another frame first", FrameType.ready, 1, key],
  ];
  for (const [name, type, id, text] of rows) {
    await t.step(name, async () => {
      const { connection, frame } = await answer(await place.connect(), type, id, text);
      assert.equal(frame, undefined);
      connection.close();
    });
  }
  await t.step("the key itself still works, and only once", async () => {
    const first = await answer(await place.connect(), FrameType.hello, 1, key);
    assert.equal(first.frame?.type, FrameType.start);
    const second = await answer(await place.connect(), FrameType.hello, 1, key);
    assert.equal(second.frame, undefined);
    second.connection.close();
    first.connection.close();
    await place.ended;
  });
  assert.deepEqual(place.happened, ["opened 1", "closed 1: undefined"]);
});

Deno.test("WorkerLines waits for a hello no longer than told", async () => {
  await using place = await openLines(10);
  place.expect(1);
  using conn = await place.connect();
  assert.equal(await conn.read(new Uint8Array(1)), null);
});

Deno.test("WorkerLines keeps no more strangers waiting than workers are expected", async () => {
  await using place = await openLines();
  place.expect(1);
  using first = await place.connect();
  using second = await place.connect();
  assert.equal(await second.read(new Uint8Array(1)), null);
  place.lines.close();
  assert.equal(await first.read(new Uint8Array(1)), null);
});

Deno.test("WorkerLines ends a worker that sends too large a frame", async () => {
  await using place = await openLines();
  const key = place.expect(1);
  const { connection } = await answer(await place.connect(), FrameType.hello, 1, key);
  const payload = new Uint8Array(MAX_UPWARD_BYTES + 1);
  connection.send({ type: FrameType.chunk, worker: 1, id: 1, payload });
  await place.ended;
  connection.close();
  assert.match(place.happened.at(-1) ?? "", /^closed 1: Frame of 524289 bytes is over 524288$/);
});

Deno.test("WorkerLines.drop() ends the connection, or the waiting for it", async () => {
  await using place = await openLines();
  const [first, second] = [place.expect(1), place.expect(2)];
  place.lines.drop(2);
  const { connection } = await answer(await place.connect(), FrameType.hello, 1, first);
  const late = await answer(await place.connect(), FrameType.hello, 2, second);
  assert.equal(late.frame, undefined);
  late.connection.close();
  place.lines.drop(1);
  await place.ended;
  connection.close();
});
