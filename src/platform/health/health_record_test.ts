import assert from "node:assert/strict";
import type { ServersHealth } from "../compute/site_servers.ts";
import { type HealthRecord, type UnconfirmedChange, weighHealth } from "./health_record.ts";

const up: ServersHealth = { state: "healthy" };
const idle: ServersHealth = { state: "idle" };
const down: ServersHealth = { state: "unhealthy", reason: "Exited with 1" };

/** Returns the changes that are reported after each check, with one check per second. */
function reported(looks: readonly ServersHealth[]) {
  let record: HealthRecord | undefined;
  let unconfirmed: UnconfirmedChange | undefined;
  const changes = looks.map((health, second) => {
    const step = weighHealth({ record, unconfirmed }, {
      health,
      owner: { id: "d1", projectName: "shop" },
      now: second * 1000,
    });
    ({ record, unconfirmed } = step);
    return step.change ?? "-";
  });
  return { changes: changes.join(" "), record };
}

const ROWS: readonly (readonly [looks: readonly ServersHealth[], changes: string])[] = [
  [[up, up, idle], "- - -"],
  [[down], "-"],
  [[up, down, up, down, up], "- - - - -"],
  [[down, down, down, down], "- failed - -"],
  [[up, down, down, up, down, down], "- - failed - - -"],
  [[down, down, up, up, up], "- failed - recovered -"],
  [[down, down, up, idle, down, down], "- failed - recovered - failed"],
];

for (const [looks, changes] of ROWS) {
  Deno.test(`weighHealth() judges ${looks.map(({ state }) => state).join(", ")}`, () => {
    assert.equal(reported(looks).changes, changes);
  });
}

Deno.test("weighHealth() records the time and the reason", () => {
  assert.deepEqual(reported([up, down, down]).record, {
    state: "unhealthy",
    since: 1000,
    reason: "Exited with 1",
    deploymentId: "d1",
    projectName: "shop",
  });
  assert.equal(reported([down, down, up, up]).record?.reason, null);
});
