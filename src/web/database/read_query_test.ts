import assert from "node:assert/strict";
import type { QueryEvent } from "../../contract/database_queries.ts";
import { readQuery } from "./read_query.ts";

const answerOf = (...events: readonly QueryEvent[]) =>
  new Blob(events.map((event) => `${JSON.stringify(event)}\n`)).stream();

const columns = (...names: string[]): QueryEvent => ({
  type: "columns",
  columns: names.map((name) => ({ name, type: "text" })),
});

Deno.test("readQuery() separates the statements' results, and reports why the last one failed", async () => {
  const outcome = await readQuery(answerOf(
    columns("a", "b"),
    { type: "rows", rows: [["1", null], ["2", "<b>"]] },
    { type: "complete", command: "SELECT 2" },
    { type: "complete", command: "CREATE TABLE" },
    { type: "notice", severity: "NOTICE", message: "be careful" },
    {
      type: "error",
      message: "column x does not exist",
      sqlState: "42703",
      detail: null,
      hint: "Perhaps y",
      position: 8,
    },
  ));
  assert.deepEqual(outcome, {
    results: [
      {
        columns: [{ name: "a", type: "text" }, { name: "b", type: "text" }],
        rows: [["1", null], ["2", "<b>"]],
        command: "SELECT 2",
      },
      { columns: [], rows: [], command: "CREATE TABLE" },
    ],
    notices: ["be careful"],
    isCut: false,
    error: "column x does not exist at character 8 (42703). Perhaps y",
  });
});

Deno.test("readQuery() reads no more than a page shows, then ends the query", async () => {
  let isEnded = false;
  const encoder = new TextEncoder();
  const line = (event: QueryEvent) => encoder.encode(`${JSON.stringify(event)}\n`);
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(line(columns("a"))),
    pull: (controller) => controller.enqueue(line({ type: "rows", rows: [["x".repeat(9000)]] })),
    cancel: () => {
      isEnded = true;
    },
  });
  const { isCut, results } = await readQuery(endless);
  assert.ok(isCut && isEnded);
  const [{ rows = [] } = {}] = results;
  assert.ok(rows.length > 10 && rows.length < 200, `${rows.length}`);
  assert.ok(rows.every(([value]) => value!.length <= 2001));
});
