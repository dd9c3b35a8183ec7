/**
 * The answer to a query, as much of it as a page shows.
 *
 * @module
 */
import { readLines } from "../../client/query_events.ts";
import { type QueryEvent, queryEvent } from "../../contract/database_queries.ts";

export interface ShownResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** The command tag of the statement, such as `INSERT 0 3`; undefined if it was interrupted. */
  readonly command?: string;
}

export interface QueryOutcome {
  readonly results: readonly ShownResult[];
  readonly notices: readonly string[];
  /** Why it failed. */
  readonly error?: string;
  /** Whether more came than is shown. */
  readonly isCut: boolean;
}

/** Maximum number of rows on a page, for all statements together. */
const MAX_ROWS = 200;
const MAX_RESULTS = 20;
const MAX_NOTICES = 20;
/** Characters of all values. */
const MAX_TEXT = 50_000;
/** Characters of one value. */
const MAX_VALUE = 2000;
/** Longest line that is read: a value that is larger ends the query. */
const MAX_LINE = 4 * 1024 * 1024;

type Row = readonly (string | null)[];

const shorten = (value: string | null): string | null =>
  value === null || value.length <= MAX_VALUE ? value : `${value.slice(0, MAX_VALUE)}…`;

function errorText(event: Extract<QueryEvent, { type: "error" }>): string {
  const { message, sqlState, detail, hint, position } = event;
  const where = position === null ? "" : ` at character ${position}`;
  return [`${message}${where} (${sqlState})`, detail, hint].filter((part) => part !== null)
    .join(". ");
}

/** Collects events as long as there is room for them. */
class Collector {
  readonly #results: { columns: ShownResult["columns"]; rows: Row[]; command?: string }[] = [];
  readonly #notices: string[] = [];
  #error: string | undefined;
  #rows = 0;
  #text = 0;
  #isCut = false;

  /** Takes an event; false if no more fits. */
  take(event: QueryEvent): boolean {
    switch (event.type) {
      case "columns":
        this.#isCut ||= this.#results.length === MAX_RESULTS;
        if (!this.#isCut) this.#results.push({ columns: event.columns, rows: [] });
        break;
      case "rows":
        for (const row of event.rows) this.#takeRow(row.map(shorten));
        break;
      case "complete":
        this.#complete(event.command);
        break;
      case "notice":
        if (this.#notices.length < MAX_NOTICES) this.#notices.push(event.message);
        break;
      case "error":
        this.#error = errorText(event);
    }
    return !this.#isCut;
  }

  outcome(): QueryOutcome {
    return {
      results: this.#results,
      notices: this.#notices,
      isCut: this.#isCut,
      error: this.#error,
    };
  }

  #takeRow(row: Row): void {
    this.#text += row.reduce((sum, value) => sum + (value?.length ?? 4) + 40, 0);
    this.#isCut ||= this.#rows === MAX_ROWS || this.#text > MAX_TEXT;
    if (this.#isCut) return;
    this.#rows++;
    this.#results.at(-1)?.rows.push(row);
  }

  #complete(command: string): void {
    const last = this.#results.at(-1);
    if (last !== undefined && last.command === undefined) last.command = command;
    else if (this.#results.length < MAX_RESULTS) {
      this.#results.push({ columns: [], rows: [], command });
    } else this.#isCut = true;
  }
}

/** Reads the events of a query. Where no more fits, the query is ended. */
export async function readQuery(answer: Response): Promise<QueryOutcome> {
  const collector = new Collector();
  if (answer.body === null) return collector.outcome();
  for await (const line of readLines(answer.body, MAX_LINE)) {
    if (!collector.take(queryEvent.parse(JSON.parse(line)))) break;
  }
  return collector.outcome();
}
