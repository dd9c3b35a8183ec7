/** Form submissions as CSV (RFC 4180). No text from a visitor can act as a formula. @module */
import type { FormSubmission } from "./forms.ts";

/** Prefixes that make spreadsheets treat a cell as a formula, including full-width ones. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Formats text as a cell. An apostrophe turns a formula into text. */
function cell(value: string): string {
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const row = (cells: readonly string[]): string => `${cells.map(cell).join(",")}\r\n`;

/** Columns that every export has. */
const OWN_COLUMNS = ["id", "sentAt", "page", "spamReason", "files"];

/** Maximum number of columns for fields. Visitors can send fields with any name. */
const MAX_COLUMNS = 100;
/** Maximum number of names to count when choosing the columns. */
const MAX_COUNTED = 10_000;
/** The column for all fields without a separate column. */
const OTHERS = "otherFields";

const TAKEN: ReadonlySet<string> = new Set([...OWN_COLUMNS, OTHERS]);

/** Returns the header of a field's column: `field.<name>` if another column has the name. */
const headerOf = (name: string): string =>
  TAKEN.has(name.replace(/^(?:field\.)+/, "")) ? `field.${name}` : name;

/** Writes submissions as CSV. All submissions must be counted before the first one is written. */
export class SubmissionsCsv {
  readonly #counts = new Map<string, number>();
  #hasOthers = false;
  #columns: readonly string[] | undefined;

  /** Counts the fields of submissions, to choose the columns. */
  count(submissions: readonly FormSubmission[]): void {
    for (const { name } of submissions.flatMap(({ fields }) => fields)) {
      const known = this.#counts.get(name);
      if (known === undefined && this.#counts.size >= MAX_COUNTED) this.#hasOthers = true;
      else this.#counts.set(name, (known ?? 0) + 1);
    }
  }

  /**
   * Returns the header line. Each field is a column, in order of appearance. If there are too many
   * fields, the most common ones get a column.
   */
  head(): string {
    const common = [...this.#counts].sort(([, one], [, other]) => other - one)
      .slice(0, MAX_COLUMNS).map(([name]) => name);
    const chosen = new Set(common);
    this.#hasOthers ||= this.#counts.size > chosen.size;
    this.#columns = [...this.#counts.keys()].filter((name) => chosen.has(name));
    return row([
      ...OWN_COLUMNS,
      ...this.#columns.map(headerOf),
      ...this.#hasOthers ? [OTHERS] : [],
    ]);
  }

  rows(submissions: readonly FormSubmission[]): string {
    const columns = this.#columns ?? [];
    const known = new Set(columns);
    return submissions.map(({ id, sentAt, page, spamReason, fields, files }) => {
      const byName = Map.groupBy(fields, ({ name }) => name);
      const others = fields.filter(({ name }) => !known.has(name));
      return row([
        ...[id, sentAt, page ?? "", spamReason ?? ""],
        files.map(({ name, key }) => key ?? name).join(", "),
        ...columns.map((name) => (byName.get(name) ?? []).map(({ value }) => value).join(", ")),
        ...this.#hasOthers ? [others.map(({ name, value }) => `${name}: ${value}`).join(", ")] : [],
      ]);
    }).join("");
  }
}

export function submissionsToCsv(submissions: readonly FormSubmission[]): string {
  const csv = new SubmissionsCsv();
  csv.count(submissions);
  return csv.head() + csv.rows(submissions);
}
