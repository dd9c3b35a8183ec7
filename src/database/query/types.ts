/**
 * Events of running SQL, as the API sends them.
 *
 * @module
 */

export interface Column {
  readonly name: string;
  /** Such as `int4`, `text`, `jsonb`; `oid:<n>` where not built in. */
  readonly type: string;
}

export interface QueryErrorEvent {
  readonly type: "error";
  readonly message: string;
  /** Five characters. */
  readonly sqlState: string;
  readonly detail: string | null;
  readonly hint: string | null;
  /** Character of the SQL text, from 1. */
  readonly position: number | null;
}

/**
 * Each statement brings `columns` and `rows` if it has a result, then `complete`. After `error`
 * nothing follows. Values are PostgreSQL's text form.
 */
export type SqlEvent =
  | { readonly type: "columns"; readonly columns: Column[] }
  | { readonly type: "rows"; readonly rows: (string | null)[][] }
  | { readonly type: "complete"; readonly command: string }
  | { readonly type: "notice"; readonly severity: string; readonly message: string }
  | QueryErrorEvent;
