import assert from "node:assert/strict";
import { unusedPort } from "./unused_port.ts";

const LOWEST_PASSING_PORT = 32_768;

Deno.test("unusedPort() skips ports that are taken, and ports that systems assign", () => {
  const chances = [0.25, 0.25, 0.999];
  const first = unusedPort(() => chances.shift()!);
  using _taken = Deno.listen({ hostname: "127.0.0.1", port: first });
  const second = unusedPort(() => chances.shift()!);
  assert.notEqual(second, first);
  assert.deepEqual(chances, []);
  for (const port of [first, second]) assert.ok(port >= 1024 && port < LOWEST_PASSING_PORT);
});
