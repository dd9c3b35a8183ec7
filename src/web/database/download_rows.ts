import { endpoints } from "../../contract/endpoints.ts";
import { type QueryEvent, queryEvent } from "../../contract/database_queries.ts";
import { readLines } from "../../client/query_events.ts";
import { formatCount } from "../../lib/format.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { attachment } from "../layout/attachment.ts";
import { errorText, type ResultRow } from "./read_query.ts";
import type { BranchPlace, Statement } from "./run_statement.ts";

export type RowFormat = "csv" | "json";

type Columns = Extract<QueryEvent, { type: "columns" }>["columns"];

/** The functions that write rows in one format: the header, each row, and the end. */
interface RowWriter {
  readonly type: string;
  head(columns: Columns): string;
  row(row: ResultRow, columns: Columns, isFirst: boolean): string;
  readonly end: string;
}

/**
 * Formats a value as CSV. As in PostgreSQL's COPY, null is empty, and an empty string is quoted.
 */
function csvField(value: string | null): string {
  if (value === null) return "";
  return value === "" || /[",\r\n]|^\s|\s$/.test(value)
    ? `"${value.replaceAll('"', '""')}"`
    : value;
}

const NUMBERS = new Set(["int2", "int4", "int8", "float4", "float8", "numeric", "oid"]);
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Formats a value as JSON. As in PostgreSQL's `to_json`, numbers keep all their digits. */
function jsonValue(value: string | null, type: string): string {
  if (value === null) return "null";
  if (type === "bool") return value === "t" || value === "true" ? "true" : "false";
  if (NUMBERS.has(type) && JSON_NUMBER.test(value)) return value;
  if (type === "json" || type === "jsonb") return value;
  return JSON.stringify(value);
}

/** Makes column names unique. */
function distinctNames(columns: Columns): string[] {
  const seen = new Set<string>();
  return columns.map(({ name }) => {
    let distinct = name;
    for (let n = 2; seen.has(distinct); n++) distinct = `${name}_${n}`;
    seen.add(distinct);
    return distinct;
  });
}

const WRITERS: Readonly<Record<RowFormat, RowWriter>> = {
  csv: {
    type: "text/csv; charset=utf-8",
    head: (columns) => `${columns.map(({ name }) => csvField(name)).join(",")}\r\n`,
    row: (row) => `${row.map(csvField).join(",")}\r\n`,
    end: "",
  },
  json: {
    type: "application/json",
    head: () => "[",
    row: (row, columns, isFirst) => {
      const names = distinctNames(columns);
      const values = row.map((value, index) =>
        `${JSON.stringify(names[index])}:${jsonValue(value, columns[index]?.type ?? "text")}`
      );
      return `${isFirst ? "\n" : ",\n"}{${values.join(",")}}`;
    },
    end: "\n]\n",
  },
};

/** Maximum length of a line in the response. A line can be a row with large values. */
const MAX_LINE = 64 * 1024 * 1024;

/** Writes one of a query's results. @throws {Failure} with PostgreSQL's error */
export async function* writeRows(
  events: AsyncIterable<QueryEvent>,
  { format, result }: { readonly format: RowFormat; readonly result: number },
): AsyncGenerator<string, void, void> {
  const writer = WRITERS[format];
  let [columns, at, isFirst]: [Columns, number, boolean] = [[], -1, true];
  for await (const event of events) {
    if (event.type === "error") throw new Failure("invalid_request", errorText(event));
    if (event.type === "columns") {
      at++;
      columns = event.columns;
      if (at === result) yield writer.head(columns);
      if (at > result) break;
    }
    if (event.type !== "rows" || at !== result) continue;
    let text = "";
    for (const row of event.rows) {
      text += writer.row(row, columns, isFirst);
      isFirst = false;
    }
    yield text;
  }
  if (at < result) {
    throw new Failure(
      "invalid_request",
      `Cannot download result ${result + 1}: the SQL returned ${formatCount(at + 1, "result")}`,
    );
  }
  yield writer.end;
}

async function* readEvents(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<QueryEvent, void, void> {
  for await (const line of readLines(stream, MAX_LINE)) yield queryEvent.parse(JSON.parse(line));
}

/** Runs read-only SQL and sends one of its results as a file, row by row. */
export async function downloadRows(
  { api, params, branch }: BranchPlace,
  { sql, params: values, format, name, result }: Pick<Statement, "sql"> & {
    readonly params?: Statement["params"];
    readonly format: RowFormat;
    readonly name: string;
    /** Index of the result to send, starting at 0. */
    readonly result: number;
  },
): Promise<Response> {
  const body = {
    sql,
    branch,
    readOnly: true,
    ...(values === undefined ? {} : { params: [...values] }),
  };
  const stream = await api.stream(endpoints.queryDatabase, { params, body });
  const texts = writeRows(readEvents(stream), { format, result });
  // An immediate failure is shown as a page rather than sent as a file.
  const first = await texts.next();
  const encoder = new TextEncoder();
  const bytes = async function* () {
    if (!first.done) yield encoder.encode(first.value);
    for await (const text of texts) yield encoder.encode(text);
  };
  return new Response(ReadableStream.from(bytes()), {
    headers: {
      "content-type": WRITERS[format].type,
      "content-disposition": attachment(`${name}.${format}`),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}
