import assert from "node:assert/strict";
import fc from "fast-check";
import {
  decidePlace,
  defaultMaxFunctionProcesses,
  defaultMaxServers,
  type Tenant,
} from "./decide_place.ts";

const idle = (idleSince: number): Tenant => ({ ending: false, idleSince });
const BUSY: Tenant = { ending: false, idleSince: undefined };
const ENDING: Tenant = { ending: true, idleSince: 1 };

const CASES: readonly {
  readonly name: string;
  readonly tenants: readonly Tenant[];
  readonly taken?: number;
  readonly waiting?: number;
  readonly expected: string;
}[] = [
  { name: "starts while there is room", tenants: [idle(1), BUSY], expected: "start" },
  {
    name: "stops the server that has been idle the longest",
    tenants: [idle(5), idle(2), idle(9)],
    expected: "end 2",
  },
  { name: "never stops a server in use", tenants: [BUSY, idle(7), BUSY], expected: "end 7" },
  { name: "waits if all servers are in use", tenants: [BUSY, BUSY, BUSY], expected: "wait" },
  {
    name: "waits for a server that is stopping",
    tenants: [ENDING, idle(2), BUSY],
    expected: "wait",
  },
  {
    name: "stops another server if more processes are waiting than servers are stopping",
    tenants: [ENDING, idle(2), BUSY],
    waiting: 2,
    expected: "end 2",
  },
  {
    name: "counts servers that are about to start",
    tenants: [BUSY],
    taken: 3,
    expected: "wait",
  },
];

for (const { name, tenants, taken = tenants.length, waiting = 1, expected } of CASES) {
  Deno.test(`decidePlace() ${name}`, () => {
    const decision = decidePlace({ taken, max: 3, waiting, tenants });
    const decided = decision.type === "end" ? `end ${decision.tenant.idleSince}` : decision.type;
    assert.equal(decided, expected);
  });
}

Deno.test("decidePlace() ends only idle processes, and no more than needed", () => {
  const tenant = fc.record({
    ending: fc.boolean(),
    idleSince: fc.option(fc.nat(1000), { nil: undefined }),
  });
  fc.assert(fc.property(
    fc.array(tenant, { maxLength: 12 }),
    fc.integer({ min: 1, max: 8 }),
    fc.integer({ min: 1, max: 5 }),
    (tenants, max, waiting) => {
      const decision = decidePlace({ taken: tenants.length, max, waiting, tenants });
      assert.equal(decision.type === "start", tenants.length < max);
      if (decision.type !== "end") return;
      const { idleSince, ending } = decision.tenant;
      assert.ok(!ending && idleSince !== undefined);
      assert.ok(tenants.every((other) => other.ending || (other.idleSince ?? 1e9) >= idleSince));
      assert.ok(tenants.filter((other) => other.ending).length < waiting);
    },
  ));
});

Deno.test("defaultMaxServers() is limited by memory, then by processors, and never too small", () => {
  const of = (gib: number, processors: number) =>
    defaultMaxServers({ memoryBytes: gib * 1024 ** 3, processors });
  assert.equal(of(8, 2), 24);
  assert.equal(of(256, 2), 64);
  assert.equal(of(0.5, 1), 4);
});

Deno.test("defaultMaxFunctionProcesses() uses a quarter of the memory, and is never too small", () => {
  const gib = 1024 ** 3;
  assert.equal(defaultMaxFunctionProcesses(8 * gib), 10);
  assert.equal(defaultMaxFunctionProcesses(64 * gib), 85);
  assert.equal(defaultMaxFunctionProcesses(gib / 2), 4);
});
