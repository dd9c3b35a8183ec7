/** @module Reads as much of a query's response as fits on a page. */
import { type Bytes, readLines } from "../../client/query_events.ts";
import { type QueryEvent, queryEvent } from "../../contract/database_queries.ts";

export interface ShownResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly ResultRow[];
  /**
   * The command tag of the statement, such as `INSERT 0 3`; `undefined` if the statement was
   * interrupted.
   */
  readonly command?: string;
}

export interface QueryOutcome {
  readonly results: readonly ShownResult[];
  readonly notices: readonly string[];
  /** Why the statement failed. */
  readonly error?: string;
  /** Whether there are more rows than shown. */
  readonly isCut: boolean;
}

/** Limits for the results of all statements together. */
interface QueryLimits {
  readonly rows: number;
  /** Maximum number of characters in all values together. */
  readonly characters: number;
  /** Maximum number of characters in a value. Longer values are shortened. */
  readonly valueLength: number;
}

/** Limits for the results on a page. */
const PAGE_LIMITS: QueryLimits = { rows: 200, characters: 50_000, valueLength: 2000 };
const MAX_RESULTS = 20;
const MAX_NOTICES = 20;
/** Maximum length of a line in the response. A longer line ends the query. */
const MAX_LINE = 4 * 1024 * 1024;

export type ResultRow = readonly (string | null)[];

export function errorText(event: Extract<QueryEvent, { type: "error" }>): string {
  const { message, sqlState, detail, hint, position } = event;
  const where = position === null ? "" : ` at character ${position}`;
  return [`${message}${where} (${sqlState})`, detail, hint].filter((part) => part !== null)
    .join(". ");
}

/** Collects events until a limit is reached. */
class Collector {
  readonly #results: { columns: ShownResult["columns"]; rows: ResultRow[]; command?: string }[] =
    [];
  readonly #notices: string[] = [];
  #error: string | undefined;
  #rows = 0;
  #text = 0;
  #isCut = false;

  readonly #limits: QueryLimits;

  constructor(limits: QueryLimits) {
    this.#limits = limits;
  }

  /** Adds an event. Returns false if the limit is reached. */
  take(event: QueryEvent): boolean {
    switch (event.type) {
      case "columns":
        this.#isCut ||= this.#results.length === MAX_RESULTS;
        if (!this.#isCut) this.#results.push({ columns: event.columns, rows: [] });
        break;
      case "rows":
        for (const row of event.rows) this.#takeRow(row.map((value) => this.#shorten(value)));
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

  #takeRow(row: ResultRow): void {
    this.#text += row.reduce((sum, value) => sum + (value?.length ?? 4) + 40, 0);
    const { rows, characters } = this.#limits;
    this.#isCut ||= this.#rows === rows || this.#text > characters;
    if (this.#isCut) return;
    this.#rows++;
    this.#results.at(-1)?.rows.push(row);
  }

  #shorten(value: string | null): string | null {
    const { valueLength } = this.#limits;
    return value === null || value.length <= valueLength
      ? value
      : `${value.slice(0, valueLength)}…`;
  }

  #complete(command: string): void {
    const last = this.#results.at(-1);
    if (last !== undefined && last.command === undefined) last.command = command;
    else if (this.#results.length < MAX_RESULTS) {
      this.#results.push({ columns: [], rows: [], command });
    } else this.#isCut = true;
  }
}

/** Reads the events of a query. Ends the query if no more rows fit. */
export async function readQuery(
  events: Bytes,
  limits: QueryLimits = PAGE_LIMITS,
): Promise<QueryOutcome> {
  const collector = new Collector(limits);
  for await (const line of readLines(events, MAX_LINE)) {
    if (!collector.take(queryEvent.parse(JSON.parse(line)))) break;
  }
  return collector.outcome();
}
