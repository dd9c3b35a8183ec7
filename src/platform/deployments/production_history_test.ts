import assert from "node:assert/strict";
import { planRollback, withLive, withoutDeployment } from "./production_history.ts";

Deno.test("withLive() puts a deployment on top without dropping any others", () => {
  assert.deepEqual(withLive([], "a"), ["a"]);
  assert.deepEqual(withLive(["a", "b"], "c"), ["a", "b", "c"]);
  assert.deepEqual(withLive(["a", "b", "c"], "a"), ["a", "b", "c", "a"]);
  assert.deepEqual(withLive(["a", "b"], "b"), ["a", "b"]);
});

Deno.test("withoutDeployment() leaves no adjacent duplicates", () => {
  assert.deepEqual(withoutDeployment(["a", "b", "a", "c"], "b"), ["a", "c"]);
  assert.deepEqual(withoutDeployment(["a", "b", "a"], "a"), ["b"]);
});

Deno.test("planRollback() goes back through live deployments, even after a named target", () => {
  let history = ["a", "b", "c"];
  const shown = [{ to: "a" }, {}, {}, {}].map((wanted) => {
    const plan = planRollback(history, wanted);
    assert.ok(plan.type === "go");
    history = plan.history;
    assert.equal(history.at(-1), plan.to);
    return `${plan.undo}->${plan.to}`;
  });
  assert.deepEqual(shown, ["c->a", "a->c", "c->b", "b->a"]);
  assert.equal(planRollback(history, {}).type, "no_earlier");
});

Deno.test("withLive() keeps the latest hundred deployments", () => {
  const history = Array.from({ length: 150 }, (_, index) => `d${index}`);
  const next = withLive(history, "new");
  assert.equal(next.length, 100);
  assert.equal(next.at(-1), "new");
  assert.equal(next[0], "d51");
});

const plans = [
  ["undoes the live deployment", ["a", "b"], {}, {
    type: "go",
    undo: "b",
    to: "a",
    history: ["a"],
  }],
  [
    "undoes the live deployment by ID",
    ["a", "b"],
    { undo: "b" },
    { type: "go", undo: "b", to: "a", history: ["a"] },
  ],
  [
    "goes to a given deployment, and records the undone one",
    ["a", "b", "c"],
    { to: "a" },
    { type: "go", undo: "c", to: "a", history: ["a", "b", "c", "a"] },
  ],
  [
    "goes to a deployment that was rolled back earlier",
    ["a", "b"],
    { to: "x" },
    { type: "go", undo: "b", to: "x", history: ["a", "b", "x"] },
  ],
  ["refuses if no deployment is live", [], {}, { type: "nothing_live" }],
  ["refuses without an earlier deployment", ["a"], {}, { type: "no_earlier", live: "a" }],
  ["refuses to undo an older deployment", ["a", "b"], { undo: "a" }, {
    type: "not_live",
    live: "b",
  }],
  ["refuses to go to the live deployment", ["a", "b"], { to: "b" }, {
    type: "already_live",
    live: "b",
  }],
] as const;

for (const [name, history, wanted, plan] of plans) {
  Deno.test(`planRollback() ${name}`, () => {
    assert.deepEqual(planRollback(history, wanted), plan);
  });
}
