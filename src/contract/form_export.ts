/**
 * Submissions of forms as CSV (RFC 4180), for spreadsheets. Visitors wrote the texts: none of them is
 * a formula there.
 *
 * @module
 */
import type { FormSubmission } from "./forms.ts";

/** Beginnings that spreadsheets take for a formula, those of other widths as well. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** A text as a cell; an apostrophe makes a text of a formula. */
function cell(value: string): string {
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const row = (cells: readonly string[]): string => `${cells.map(cell).join(",")}\r\n`;

/** Columns that every export has; a field of the same name gets another column. */
const OWN_COLUMNS = ["id", "sentAt", "page", "spamReason", "files"];

/** Each field becomes a column, in the order in which they occur. */
export function submissionsToCsv(submissions: readonly FormSubmission[]): string {
  const names = [
    ...new Set(submissions.flatMap(({ fields }) => fields.map(({ name }) => name))),
  ];
  const rows = submissions.map(({ id, sentAt, page, spamReason, fields, files }) =>
    row([
      ...[id, sentAt, page ?? "", spamReason ?? ""],
      files.map(({ name, key }) => key ?? name).join(", "),
      ...names.map((name) =>
        fields.filter((field) => field.name === name).map(({ value }) => value).join(", ")
      ),
    ])
  );
  return row([...OWN_COLUMNS, ...names]) + rows.join("");
}
