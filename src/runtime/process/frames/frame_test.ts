import assert from "node:assert/strict";
import fc from "fast-check";
import { concat, encodeFrame, FrameReader, HEADER_BYTES, ProtocolError } from "./frame.ts";

const frames = fc.array(fc.record({
  type: fc.integer({ min: 0, max: 255 }),
  worker: fc.integer({ min: 0, max: 0xffff }),
  id: fc.integer({ min: 0, max: 0xffff_ffff }),
  payload: fc.uint8Array({ maxLength: 300 }),
}));

Deno.test("FrameReader reads frames written by encodeFrame(), however they are split", () => {
  fc.assert(fc.property(frames, fc.integer({ min: 1, max: 50 }), (sent, step) => {
    const bytes = concat(sent.map(encodeFrame));
    const reader = new FrameReader(300);
    const read = [];
    for (let at = 0; at < bytes.byteLength; at += step) {
      read.push(...reader.feed(bytes.subarray(at, at + step)));
    }
    assert.deepEqual(
      read.map(({ payload, ...head }) => ({ ...head, payload: [...payload] })),
      sent.map(({ payload, ...head }) => ({ ...head, payload: [...payload] })),
    );
  }));
});

Deno.test("FrameReader refuses an oversized frame before it has arrived", () => {
  const head = encodeFrame({ type: 1, worker: 1, id: 1, payload: new Uint8Array(101) });
  assert.throws(() => new FrameReader(100).feed(head.subarray(0, HEADER_BYTES)), ProtocolError);
});

Deno.test("FrameReader reads a large frame in small pieces in linear time", () => {
  // This is so large that copying all received bytes for each piece would take minutes.
  const size = 4_000_000;
  const bytes = encodeFrame({ type: 1, worker: 1, id: 1, payload: new Uint8Array(size).fill(7) });
  const reader = new FrameReader(size);
  const read = [];
  for (let at = 0; at < bytes.byteLength; at++) {
    read.push(...reader.feed(bytes.subarray(at, at + 1)));
  }
  assert.deepEqual(read.map(({ payload }) => payload.byteLength), [size]);
});
