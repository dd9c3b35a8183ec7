import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import fc from "fast-check";
import { BodyReceiver, BodySender, EAGER_BYTES, readCredit, WINDOW_BYTES } from "./body_link.ts";
import { FunctionFrame } from "./wire.ts";

/** Connects a sender and a receiver without a process. Counts the bytes in transit. */
function join(stream: ReadableStream<Uint8Array>, credit: number) {
  const seen = { sent: 0, asked: credit, most: 0, dropped: false };
  const receiver: BodyReceiver = new BodyReceiver({
    credit,
    finished: () => {},
    send: (type, payload) => {
      if (type === FunctionFrame.drop) {
        seen.dropped = true;
        return sender.stop("dropped");
      }
      seen.asked += readCredit(payload!);
      queueMicrotask(() => sender.grant(readCredit(payload!)));
    },
  });
  const sender: BodySender = new BodySender(stream, {
    credit,
    finished: () => {},
    send: (type, payload) => {
      if (type === FunctionFrame.end) return receiver.end();
      if (type === FunctionFrame.fail) {
        return receiver.brokeOff(new Error(new TextDecoder().decode(payload)));
      }
      seen.sent += payload!.byteLength;
      seen.most = Math.max(seen.most, payload!.byteLength);
      assert.ok(seen.sent <= seen.asked, "No more is sent than requested");
      assert.equal(receiver.chunk(payload!.slice()), true);
    },
  });
  return { receiver, sender, seen };
}

Deno.test("BodySender and BodyReceiver transfer any body, within the window", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 200_000 }), { maxLength: 6 }),
      fc.constantFrom(0, EAGER_BYTES),
      async (sizes, credit) => {
        const body = ReadableStream.from(sizes.map((size, at) => new Uint8Array(size).fill(at)));
        const { receiver, seen } = join(body, credit);
        const bytes = await new Response(receiver.stream).bytes();
        assert.deepEqual(
          Buffer.compare(bytes, Buffer.concat(sizes.map((size, at) => Buffer.alloc(size, at)))),
          0,
        );
        assert.ok(seen.most <= WINDOW_BYTES);
      },
    ),
    { numRuns: 30 },
  );
});

Deno.test("BodySender does not touch a body that no one reads", () => {
  const body = new Response("untouched").body!;
  const { sender } = join(body, 0);
  sender.stop("not wanted");
  assert.equal(body.locked, false);
  assert.equal(sender.started, false);
});

Deno.test("BodySender stops when the reader stops", async () => {
  const cancelled = Promise.withResolvers<void>();
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(10_000)),
    cancel: () => cancelled.resolve(),
  });
  const { receiver, seen } = join(endless, EAGER_BYTES);
  const reader = receiver.stream.getReader();
  await reader.read();
  await reader.cancel();
  await cancelled.promise;
  assert.equal(seen.dropped, true);
});

Deno.test("BodyReceiver detects a sender that exceeds its window", () => {
  const receiver = new BodyReceiver({ credit: 1000, send: () => {}, finished: () => {} });
  assert.equal(receiver.chunk(new Uint8Array(1000)), true);
  assert.equal(receiver.chunk(new Uint8Array(1)), false);
});

Deno.test("BodyReceiver buffers a limited number of chunks, but no empty ones", () => {
  const open = () => new BodyReceiver({ credit: EAGER_BYTES, send: () => {}, finished: () => {} });
  assert.equal(open().chunk(new Uint8Array(0)), false);
  const receiver = open();
  let held = 0;
  while (receiver.chunk(new Uint8Array(1))) held++;
  assert.equal(held, EAGER_BYTES / 256);
});

Deno.test("BodySender and BodyReceiver transfer many small chunks, whenever they are requested", async () => {
  const sizes = Array.from({ length: 5000 }, (_, at) => at % 3 === 0 ? 300 : 1 + at % 7);
  const { receiver } = join(ReadableStream.from(sizes.map((size) => new Uint8Array(size))), 1000);
  const bytes = await new Response(receiver.stream).bytes();
  assert.equal(bytes.byteLength, sizes.reduce((sum, size) => sum + size));
});

Deno.test("BodyReceiver fails with the sender's error", async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error("upstream broke")),
  });
  const { receiver } = join(broken, EAGER_BYTES);
  await assert.rejects(new Response(receiver.stream).text(), /upstream broke/);
});

Deno.test("BodyReceiver delivers the data before the sender's error", async () => {
  const receiver = new BodyReceiver({ credit: EAGER_BYTES, finished: () => {}, send: () => {} });
  receiver.chunk(new Uint8Array([1]));
  receiver.chunk(new Uint8Array([2]));
  receiver.brokeOff(new Error("broken"));
  const reader = receiver.stream.getReader();
  assert.deepEqual((await reader.read()).value, new Uint8Array([1]));
  assert.deepEqual((await reader.read()).value, new Uint8Array([2]));
  await assert.rejects(reader.read(), /broken/);
});
