/** @module Results as readable tables, laid out after a bounded number of rows. */
import { formatCount, printable } from "../../terminal/format.ts";
import type { Ui } from "../../terminal/ui.ts";
import { formatRows } from "./format_rows.ts";
import type { Output } from "./output.ts";
import type { Column, Row } from "./result_set.ts";

/** Maximum number of rows in a table, and maximum number of characters in all its values. */
const [MAX_ROWS, MAX_CHARACTERS] = [10_000, 8_000_000];

export interface TableOptions {
  /** Returns whether to show each row separately. Called for each table. */
  readonly expanded?: () => boolean;
  /** The command that shows all rows, which the notice below a truncated table names. */
  readonly whole: string;
}

interface BufferedResult {
  readonly columns: readonly Column[];
  readonly rows: Row[];
  characters: number;
  /** Number of received rows, including rows that were not kept. */
  total: number;
}

const lengthOf = (row: Row): number =>
  row.reduce((length, value) => length + (value?.length ?? 0), 0);

/** Tables go to stdout. Notices and the tags of statements go to stderr. */
export function createTableOutput(ui: Ui, { expanded, whole }: TableOptions): Output {
  let held: BufferedResult | undefined;
  let tables = 0;

  function show({ columns, rows, total }: BufferedResult): void {
    const layout = {
      width: ui.width(),
      colors: ui.dataColors,
      expanded: expanded?.() ?? false,
    };
    const text = formatRows(columns, rows, layout);
    ui.data(`${tables++ > 0 ? "\n" : ""}${text === "" ? "" : `${text}\n`}`);
    if (rows.length < total) {
      ui.log("db", "warn", `Showing ${rows.length} of ${total} rows: ${whole}`);
    }
  }

  return {
    columns: (columns) => held = { columns, rows: [], characters: 0, total: 0 },
    rows(rows) {
      if (held === undefined) return;
      held.total += rows.length;
      for (const row of rows) {
        if (held.rows.length >= MAX_ROWS || held.characters > MAX_CHARACTERS) return;
        held.rows.push(row);
        held.characters += lengthOf(row);
      }
    },
    complete(command) {
      const result = held;
      held = undefined;
      if (result !== undefined) show(result);
      const isRead = /^(?:SELECT|SHOW|FETCH|EXPLAIN)/.test(command) && result !== undefined;
      ui.note(ui.colors.dim(isRead ? formatCount(result.total, "row") : printable(command)));
    },
    end: () => {},
    fail: () => false,
  };
}
