/**
 * Tests tasks that one node runs for all nodes. At any time during a round, another node can
 * take the lease. Then nothing is stored or done without the lease, and the next leader reaches the
 * same state as an uninterrupted leader.
 */
import assert from "node:assert/strict";
import { HOLDERS } from "./_test_leaders.ts";
import { stealAt } from "./_test_lease_thief.ts";

for (const [name, holder] of Object.entries(HOLDERS)) {
  Deno.test(`a node that loses its lease stores nothing after that: ${name}`, async () => {
    const next = "thief";
    const whole = await stealAt(holder, { moment: 0, next });
    assert.ok(whole.moments > 1, "the round reads or stores something");
    for (let moment = 1; moment <= whole.moments; moment++) {
      const leaders = ["thief", "first"] as const;
      for (const next of holder.isSlow === true ? [leaders[moment % 2]!] : leaders) {
        const { stale, outcome } = await stealAt(holder, { moment, next });
        const when = `lost before ${moment} of ${whole.moments}, then led by the ${next}`;
        assert.deepEqual(stale, [], when);
        assert.deepEqual(outcome, whole.outcome, when);
      }
    }
  });
}
