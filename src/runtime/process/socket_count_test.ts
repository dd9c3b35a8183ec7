import assert from "node:assert/strict";
import { decideSocket, defaultSocketLimits, SocketCount } from "./socket_count.ts";

Deno.test("decideSocket() refuses at the server's limit and at the total limit", () => {
  const rows: readonly (readonly [number, number | undefined, string | undefined])[] = [
    [0, 0, undefined],
    [1, 9, undefined],
    [2, 2, "The server has reached its WebSocket limit: 2"],
    [3, undefined, "The server has reached its WebSocket limit: 2"],
    [0, 10, "All servers together have reached their WebSocket limit: 10"],
    [1, undefined, undefined],
  ];
  for (const [open, openOfAll, message] of rows) {
    const all = openOfAll === undefined ? undefined : { open: openOfAll, max: 10 };
    assert.deepEqual(
      decideSocket({ open, max: 2 }, all),
      message === undefined ? { type: "open" } : { type: "refuse", message },
      `${open} of 2, ${openOfAll} of 10`,
    );
  }
});

Deno.test("SocketCount counts each closed socket once", () => {
  const count = new SocketCount(2);
  const [first, second] = [count.enter(), count.enter()];
  assert.equal(count.open, 2);
  first();
  first();
  assert.equal(count.open, 1);
  second();
  assert.equal(count.open, 0);
});

Deno.test("defaultSocketLimits() depends on the descriptor limit and reserves some for other uses", () => {
  const rows: readonly (readonly [number | undefined, number, number])[] = [
    [undefined, 512, 1024],
    [16, 8, 16],
    [256, 32, 64],
    [1024, 128, 256],
    [20_000, 1000, 5000],
    [1_048_576, 1000, 16_384],
    [Infinity, 1000, 16_384],
  ];
  for (const [descriptors, perServer, total] of rows) {
    assert.deepEqual(defaultSocketLimits(descriptors), { perServer, total }, String(descriptors));
  }
});
