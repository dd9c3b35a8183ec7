/** Stops a platform whose clients keep sending requests. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { withSandbox } from "../helpers/sandbox.ts";

const CLIENTS = 300;

/**
 * Far less time than the platform waits for requests in progress, but more than it needs to stop on
 * a busy machine.
 */
const MAX_STOP_MS = 8000;

const REQUEST = new TextEncoder().encode("GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n");

/** Sends requests, using a new connection whenever the platform closes one. */
async function sendRequests(port: number): Promise<void> {
  const buffer = new Uint8Array(64 * 1024);
  try {
    for (;;) {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      for (let isLast = false; !isLast;) {
        await connection.write(REQUEST);
        const count = await connection.read(buffer) ?? 0;
        isLast = count === 0 ||
          new TextDecoder().decode(buffer.subarray(0, count)).includes("connection: close");
      }
    }
  } catch { /* The platform no longer listens. */ }
}

Deno.test("a platform under load stops immediately", () =>
  withSandbox(async (box) => {
    await box.start();
    const platform = box.platform!;
    const clients = Array.from({ length: CLIENTS }, () => sendRequests(platform.port));
    await delay(500);
    const began = performance.now();
    assert.equal(await platform.stop(), 0, platform.errors());
    assert.ok(performance.now() - began < MAX_STOP_MS, platform.errors());
    assert.doesNotMatch(platform.errors(), /panicked/);
    await Promise.all(clients);
  }));
