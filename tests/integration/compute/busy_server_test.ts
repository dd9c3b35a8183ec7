/**
 * Sends many concurrent requests to a busy Node server. Each request must get its turn, even on a
 * new connection. On Deno, the runtime decides the order.
 */
import assert from "node:assert/strict";
import { computeServer, FIXTURES } from "../../helpers/compute_server.ts";

const CLIENTS = 32;
const ANSWERS = CLIENTS * 10;

Deno.test("no client of a busy server has to wait for all the others", async () => {
  await using test = computeServer({
    engine: "node",
    directory: `${FIXTURES}busy`,
    limits: { timeoutMs: 60_000 },
  });
  assert.match(await test.ask("/"), /^200 /);
  const answered = Array<number>(CLIENTS).fill(0);
  let left = ANSWERS;
  await Promise.all(answered.map(async (_, client) => {
    while (left > 0) {
      assert.match(await test.ask("/"), /^200 /);
      if (left-- > 0) answered[client]!++;
    }
  }));
  const fewest = Math.min(...answered);
  // A connection that had to wait for the other connections would have at most one response.
  assert.ok(fewest >= ANSWERS / CLIENTS / 5, `responses per client: ${answered.join(" ")}`);
});
