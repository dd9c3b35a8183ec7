/**
 * Results as CSV on stdout, row by row as they come.
 *
 * @module
 */
import { printable } from "../../terminal/format.ts";
import type { Ui } from "../../terminal/ui.ts";
import { csvRecord } from "./csv.ts";
import type { Output } from "./output.ts";

/** An empty line stands between two results; statements without one leave no trace in it. */
export function createCsvOutput(ui: Ui): Output {
  let results = 0;
  let hasResult = false;
  // In a file bytes stay as they are; a terminal would obey them.
  const write = (text: string) => ui.data(ui.showsOnTerminal ? printable(text) : text);
  return {
    columns(columns) {
      if (results++ > 0) write("\r\n");
      hasResult = true;
      write(csvRecord(columns.map(({ name }) => name)));
    },
    rows: (rows) => write(rows.map(csvRecord).join("")),
    complete(command) {
      if (!hasResult) ui.note(printable(command));
      hasResult = false;
    },
    end: () => {},
    fail: () => false,
  };
}
