/**
 * Results as one JSON object on stdout, written while they come, so that its
 * size is no matter. Each is `{ columns, rows, command, rowCount }`.
 *
 * @module
 */
import type { Ui } from "../../terminal/ui.ts";
import { memberNames, rowWriter } from "./json_rows.ts";
import type { Output } from "./output.ts";
import { type Column, type Row, rowCountOf } from "./result_set.ts";

/** The columns as the object names them; members that had to be renamed keep their `name`. */
function describeColumns(ui: Ui, columns: readonly Column[]): string {
  const keys = memberNames(columns);
  const renamed = columns.flatMap(({ name }, at) => keys[at] === name ? [] : [keys[at]]);
  if (renamed.length > 0) {
    ui.log(
      "db",
      "warn",
      `Some columns share a name. Rename them with AS. In JSON they are ${renamed.join(", ")}`,
    );
  }
  return JSON.stringify(columns.map(({ name, type }, at) => ({ key: keys[at], name, type })));
}

/** Writes `head`'s members, then `results`. */
export function createJsonOutput(ui: Ui, head: Readonly<Record<string, unknown>>): Output {
  let write: ((row: Row) => string) | undefined;
  let results = 0;
  let rowsOfResult = 0;
  const begin = () => {
    ui.data(
      results++ === 0 ? `${JSON.stringify(head).slice(0, -1)},"results":[{` : ",{",
    );
  };
  return {
    columns(columns) {
      begin();
      rowsOfResult = 0;
      write = rowWriter(columns);
      ui.data(`"columns":${describeColumns(ui, columns)},"rows":[`);
    },
    rows(rows) {
      if (rows.length === 0 || write === undefined) return;
      ui.data((rowsOfResult === 0 ? "" : ",") + rows.map(write).join(","));
      rowsOfResult += rows.length;
    },
    complete(command) {
      if (write === undefined) begin();
      else ui.data("],");
      write = undefined;
      const tag = JSON.stringify({ command, rowCount: rowCountOf(command) });
      ui.data(`${tag.slice(1, -1)}}`);
    },
    end() {
      if (results === 0) ui.result({ ...head, results: [] }, "");
      else ui.data("]}\n");
    },
    fail(report) {
      if (results === 0) return false;
      ui.data(`${write === undefined ? "" : "]}"}],${JSON.stringify(report).slice(1)}\n`);
      return true;
    },
  };
}
