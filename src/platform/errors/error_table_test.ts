import assert from "node:assert/strict";
import { ErrorTable } from "./error_table.ts";

const PLACE = { projectId: "shop", deploymentId: "d", requestId: "r" };

const kindsOf = (table: ErrorTable, before: number) =>
  table.take(before).projects.flatMap(({ groups }) =>
    groups.map(({ kind, count }) => [kind, count])
  );

Deno.test("a request and its exception are one error, regardless of timing", () => {
  for (let before = 900; before < 4000; before += 7) {
    const table = new ErrorTable();
    table.requestFailed({
      ...PLACE,
      time: 1000,
      durationMs: 10,
      method: "GET",
      path: "/boats",
      status: 500,
    });
    table.serverWrote({ ...PLACE, source: "app", time: 1015, message: "TypeError: No boat" });
    assert.deepEqual([...kindsOf(table, before), ...kindsOf(table, 10_000)], [["server", 1]]);
  }
});

Deno.test("a request without an exception is an error once no exception can arrive", () => {
  const table = new ErrorTable();
  table.requestFailed({
    ...PLACE,
    time: 1000,
    durationMs: 10,
    method: "GET",
    path: "/boats",
    status: 500,
  });
  assert.deepEqual(kindsOf(table, 1500), []);
  assert.deepEqual(kindsOf(table, 2500), [["response", 1]]);
});
