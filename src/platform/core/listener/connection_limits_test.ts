import assert from "node:assert/strict";
import { DEFAULTS } from "../../../settings/mod.ts";
import { completeLimits } from "./connection_limits.ts";

const rows: readonly (readonly [descriptors: number, connections: number, perAddress: number])[] = [
  [10, 16, 8],
  [256, 128, 64],
  [1024, 512, 256],
  [20_000, 10_000, 256],
  [1_048_576, 50_000, 256],
];

for (const [descriptors, maxConnections, maxPerAddress] of rows) {
  Deno.test(`completeLimits() derives limits from ${descriptors} descriptors`, () => {
    const limits = completeLimits(DEFAULTS.connections, descriptors);
    assert.equal(limits.maxConnections, maxConnections);
    assert.equal(limits.maxPerAddress, maxPerAddress);
  });
}

Deno.test("completeLimits() keeps given limits", () => {
  const limits = completeLimits({ ...DEFAULTS.connections, maxConnections: 10, headMs: 1 }, 1024);
  assert.deepEqual(limits, {
    maxConnections: 10,
    maxPerAddress: 5,
    handshakeMs: 10_000,
    headMs: 1,
    bodyMs: 60_000,
    keepAliveMs: 75_000,
  });
});
