import assert from "node:assert/strict";
import type { QueryEvent } from "../../contract/database_queries.ts";
import { type RowFormat, writeRows } from "./download_rows.ts";

const EVENTS: readonly QueryEvent[] = [
  { type: "columns", columns: [{ name: "first", type: "int4" }] },
  { type: "rows", rows: [["1"]] },
  { type: "complete", command: "SELECT 1" },
  {
    type: "columns",
    columns: [
      { name: "n", type: "numeric" },
      { name: "n", type: "float8" },
      { name: "t", type: "text" },
      { name: "b", type: "bool" },
      { name: "j", type: "jsonb" },
    ],
  },
  { type: "rows", rows: [["12345678901234567890.5", "NaN", 'a "b"', "t", '{"a": [1]}']] },
  { type: "rows", rows: [[null, "-1e-7", "", "f", null]] },
  { type: "complete", command: "SELECT 2" },
];

async function written(format: RowFormat, result: number, events = EVENTS): Promise<string> {
  const source = ReadableStream.from(events);
  return (await Array.fromAsync(writeRows(source, { format, result }))).join("");
}

Deno.test("writeRows() writes one result as CSV and distinguishes null from an empty string", async () => {
  assert.equal(await written("csv", 0), "first\r\n1\r\n");
  assert.equal(
    await written("csv", 1),
    'n,n,t,b,j\r\n12345678901234567890.5,NaN,"a ""b""",t,"{""a"": [1]}"\r\n,-1e-7,"",f,\r\n',
  );
});

Deno.test("writeRows() writes JSON without losing digits or columns", async () => {
  assert.equal(
    await written("json", 1),
    '[\n{"n":12345678901234567890.5,"n_2":"NaN","t":"a \\"b\\"","b":true,"j":{"a": [1]}}' +
      ',\n{"n":null,"n_2":-1e-7,"t":"","b":false,"j":null}\n]\n',
  );
  JSON.parse(await written("json", 1));
});

Deno.test("writeRows() fails if the query fails or has no such result", async () => {
  const error: QueryEvent = {
    type: "error",
    message: "no such table",
    sqlState: "42P01",
    detail: null,
    hint: null,
    position: null,
  };
  await assert.rejects(written("csv", 0, [error]), /no such table \(42P01\)/);
  await assert.rejects(written("csv", 2), /Cannot download result 3: the SQL returned 2 results/);
});
