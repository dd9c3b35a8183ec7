import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeFrame, FrameParser, Opcode, SocketError } from "./frames.ts";
import { MessageJoiner } from "./messages.ts";

/** Creates a frame as a server writes it, which means without a mask. */
function serverFrame(opcode: number, payload: Uint8Array, final = true): Uint8Array<ArrayBuffer> {
  const bytes = encodeFrame(opcode, payload, new Uint8Array(4));
  const head = bytes.byteLength - payload.byteLength - 4;
  const frame = new Uint8Array(head + payload.byteLength);
  frame.set(bytes.subarray(0, head));
  frame.set(payload, head);
  frame[0] = final ? frame[0]! : frame[0]! & 0x7f;
  frame[1] = frame[1]! & 0x7f;
  return frame;
}

Deno.test("encodeFrame() writes the masked example of RFC 6455, 5.7", () => {
  const mask = Uint8Array.of(0x37, 0xfa, 0x21, 0x3d);
  const frame = encodeFrame(Opcode.text, new TextEncoder().encode("Hello"), mask);
  assert.equal(frame.toHex(), "818537fa213d7f9f4d5158");
});

Deno.test("FrameParser reads frames of any size, however the bytes arrive", () => {
  const sizes = fc.constantFrom(0, 1, 125, 126, 127, 65_535, 65_536);
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 70_000 }), (size, least) => {
      const payload = new Uint8Array(size).fill(7);
      const step = Math.max(least, size >> 7);
      const bytes = serverFrame(Opcode.binary, payload);
      const parser = new FrameParser(100_000);
      for (let at = 0; at < bytes.byteLength; at += step) {
        if (at > 0) assert.equal(parser.next(), undefined);
        parser.push(bytes.slice(at, at + step));
      }
      assert.deepEqual(parser.next(), { opcode: Opcode.binary, final: true, payload });
      assert.equal(parser.next(), undefined);
    }),
    { numRuns: 30 },
  );
});

Deno.test("frames that violate the protocol are refused", () => {
  const rows: readonly (readonly [string, Uint8Array<ArrayBuffer>, number])[] = [
    ["masked", encodeFrame(Opcode.text, new Uint8Array(1), new Uint8Array(4)), 1002],
    ["compressed", Uint8Array.of(0xc1, 0), 1002],
    ["a long ping", serverFrame(Opcode.ping, new Uint8Array(126)), 1002],
    ["a fragmented ping", serverFrame(Opcode.ping, new Uint8Array(1), false), 1002],
    ["too large", serverFrame(Opcode.binary, new Uint8Array(2000)), 1009],
    ["a continuation without a start", serverFrame(Opcode.continuation, new Uint8Array(1)), 1002],
    ["unknown", serverFrame(3, new Uint8Array(1)), 1002],
    ["invalid UTF-8", serverFrame(Opcode.text, Uint8Array.of(0xff)), 1007],
    ["an incomplete code", serverFrame(Opcode.close, Uint8Array.of(3)), 1002],
  ];
  for (const [name, bytes, code] of rows) {
    const parser = new FrameParser(1000);
    parser.push(bytes);
    assert.throws(
      () => new MessageJoiner(1000).take(parser.next()!),
      (error) => error instanceof SocketError && error.code === code,
      name,
    );
  }
});

Deno.test("MessageJoiner joins fragments around control frames", () => {
  const joiner = new MessageJoiner(100);
  const take = (opcode: number, text: string, final: boolean) =>
    joiner.take({ opcode, final, payload: new TextEncoder().encode(text) });
  assert.equal(take(Opcode.text, "one ", false), undefined);
  assert.equal(take(Opcode.ping, "p", true)?.type, "ping");
  assert.equal(take(Opcode.continuation, "two ", false), undefined);
  assert.deepEqual(take(Opcode.continuation, "three", true), {
    type: "message",
    message: "one two three",
  });
  assert.throws(() => {
    take(Opcode.binary, "x".repeat(60), false);
    take(Opcode.continuation, "x".repeat(60), true);
  }, /too large/);
});

Deno.test("MessageJoiner buffers only the content of endless fragments", () => {
  const joiner = new MessageJoiner(1000);
  const nothing = { opcode: Opcode.continuation, final: false, payload: new Uint8Array(0) };
  joiner.take({ ...nothing, opcode: Opcode.binary, payload: Uint8Array.of(1) });
  const before = Deno.memoryUsage().heapUsed;
  for (let count = 0; count < 1_000_000; count++) {
    joiner.take({ ...nothing, payload: new Uint8Array(0) });
  }
  assert.ok(Deno.memoryUsage().heapUsed - before < 40_000_000);
  assert.deepEqual(joiner.take({ ...nothing, final: true, payload: Uint8Array.of(2) }), {
    type: "message",
    message: Uint8Array.of(1, 2),
  });
});
