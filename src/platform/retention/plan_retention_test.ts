import assert from "node:assert/strict";
import fc from "fast-check";
import { DEPLOYMENT_STATES, type DeploymentState } from "../../contract/deployments.ts";
import { type JudgedDeployment, planRetention } from "./plan_retention.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 0, 100);

/** Returns a deployment from `days` days ago. */
const of = (id: string, days: number, status: DeploymentState = "LIVE"): JudgedDeployment => ({
  id,
  status,
  createdAt: NOW - days * DAY,
  updatedAt: NOW - days * DAY,
});

const policy = { keepDeployments: 2, keepDays: 10 };

interface Row {
  readonly name: string;
  readonly deployments: readonly JudgedDeployment[];
  readonly shown?: readonly string[];
  readonly history?: readonly string[];
  readonly removed: readonly string[];
}

const old = [of("a", 50), of("b", 40), of("c", 30), of("d", 20)];

const ROWS: readonly Row[] = [
  { name: "no deployments", deployments: [], removed: [] },
  { name: "the last two are kept", deployments: old, removed: ["b", "a"] },
  {
    name: "new deployments are kept",
    deployments: [of("a", 3), of("b", 2), of("c", 1)],
    removed: [],
  },
  { name: "deployments at a shared URL are kept", deployments: old, shown: ["a"], removed: ["b"] },
  {
    name: "deployments for a rollback are kept",
    deployments: old,
    history: ["x", "a", "b"],
    removed: [],
  },
  {
    name: "only the last deployments of a longer history are kept",
    deployments: old,
    history: ["a", "b", "c"],
    removed: ["a"],
  },
  {
    name: "unfinished deployments are kept",
    deployments: [
      of("a", 50, "PENDING"),
      of("b", 40, "BUILDING"),
      of("c", 30, "DEPLOYING"),
      ...old,
    ],
    removed: ["b", "a"],
  },
  {
    name: "failed deployments do not displace others",
    deployments: [of("a", 50), ...["x", "y", "z"].map((id, index) => of(id, 20 - index, "FAILED"))],
    removed: ["x"],
  },
  {
    name: "rolled-back deployments count as working",
    deployments: [of("a", 50), of("b", 40, "ROLLED_BACK"), of("c", 30)],
    removed: ["a"],
  },
];

Deno.test("planRetention() removes old and unused deployments", () => {
  for (const { name, deployments, shown, history, removed } of ROWS) {
    const facts = { deployments, shown: new Set(shown), productionHistory: history ?? [] };
    assert.deepEqual(planRetention(facts, policy, NOW).map(({ id }) => id), removed, name);
  }
});

Deno.test("planRetention() never removes used deployments, and is idempotent", () => {
  const deployment = fc.record({
    id: fc.uuid(),
    status: fc.constantFrom(...DEPLOYMENT_STATES),
    createdAt: fc.integer({ min: 0, max: NOW }),
    updatedAt: fc.integer({ min: 0, max: NOW }),
  });
  fc.assert(fc.property(
    fc.uniqueArray(deployment, { selector: ({ id }) => id, maxLength: 30 }),
    fc.record({
      keepDeployments: fc.integer({ min: 0, max: 5 }),
      keepDays: fc.integer({ min: 0, max: 90 }),
    }),
    fc.func(fc.boolean()),
    (deployments, limits, isShown) => {
      const shown = new Set(deployments.filter(({ id }) => isShown(id)).map(({ id }) => id));
      const productionHistory = deployments.slice(0, 3).map(({ id }) => id);
      const facts = { deployments, shown, productionHistory };
      const removed = new Set(planRetention(facts, limits, NOW));
      for (const { id, status } of removed) {
        assert.ok(!shown.has(id) && id !== productionHistory.at(-1));
        assert.ok(!["PENDING", "BUILDING", "DEPLOYING"].includes(status));
      }
      const left = deployments.filter((each) => !removed.has(each));
      assert.deepEqual(planRetention({ ...facts, deployments: left }, limits, NOW), []);
    },
  ));
});
