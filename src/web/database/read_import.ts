/** @module Reads the result of importing a script. */
import { type Bytes, readLines } from "../../client/query_events.ts";
import { queryEvent } from "../../contract/database_queries.ts";
import { errorText } from "./read_query.ts";

export interface ImportOutcome {
  readonly statements: number;
  /** The first notices from PostgreSQL, at most `MAX_NOTICES`. */
  readonly notices: readonly string[];
  /** Why nothing was imported. */
  readonly error?: string;
}

const MAX_NOTICES = 10;
const MAX_LINE = 1024 * 1024;

/** Reads all of an import's events, because an import without a reader is canceled. */
export async function readImport(events: Bytes): Promise<ImportOutcome> {
  const notices: string[] = [];
  let [statements, error]: [number, string | undefined] = [0, undefined];
  for await (const line of readLines(events, MAX_LINE)) {
    const event = queryEvent.parse(JSON.parse(line));
    if (event.type === "complete") statements++;
    if (event.type === "error") error ??= errorText(event);
    if (event.type === "notice" && notices.length < MAX_NOTICES) notices.push(event.message);
  }
  return { statements, notices, ...(error === undefined ? {} : { error }) };
}
