/** @module Events that report the progress of SQL, as the API sends them. */

export interface Column {
  readonly name: string;
  /** For example `int4`, `text` or `jsonb`. For a type that is not built in, `oid:<n>`. */
  readonly type: string;
}

export interface QueryErrorEvent {
  readonly type: "error";
  readonly message: string;
  /** Five characters. */
  readonly sqlState: string;
  readonly detail: string | null;
  readonly hint: string | null;
  /** Position in the SQL text, in characters, starting at 1. */
  readonly position: number | null;
}

/**
 * Each statement yields `columns` and `rows` if it has a result, then `complete`. Nothing follows
 * `error`. Values are in PostgreSQL's text form.
 */
export type SqlEvent =
  | { readonly type: "columns"; readonly columns: Column[] }
  | { readonly type: "rows"; readonly rows: (string | null)[][] }
  | { readonly type: "complete"; readonly command: string }
  | { readonly type: "notice"; readonly severity: string; readonly message: string }
  | QueryErrorEvent;
