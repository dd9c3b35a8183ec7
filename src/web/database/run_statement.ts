/** @module Runs one of the table editor's statements on a branch and reads its whole result. */
import { endpoints } from "../../contract/endpoints.ts";
import type { ParamsOf } from "../../contract/endpoint.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import type { PageApi } from "../visit/page_api.ts";
import { type QueryOutcome, readQuery, type ResultRow } from "./read_query.ts";

/** A statement, and the values for its parameters `$1`, `$2` and so on. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly (string | null)[];
}

/** A branch of a database, and the API that runs statements on it. */
export interface BranchPlace {
  readonly api: PageApi;
  readonly params: ParamsOf<typeof endpoints.getDatabase>;
  readonly branch: string;
}

/** How long a page waits for one of the editor's statements, in milliseconds. */
const MAX_TIME = 10_000;
/** Limits for the rows and values that one of the editor's statements returns. */
const LIMITS = { rows: 1000, characters: 4_000_000, valueLength: 4_000_000 } as const;

/** Error codes for problems with the branch or the SQL rather than with the person's access. */
const OUTCOMES: ReadonlySet<string> = new Set([
  "conflict",
  "invalid_request",
  "rate_limited",
  "unavailable",
]);

/** PostgreSQL's error for a statement. */
export class StatementError extends Error {}

/** Runs SQL for a page. If the branch cannot run the SQL, returns the reason as an outcome. */
export async function runForPage(
  { api, params, branch }: BranchPlace,
  body: { readonly sql: string; readonly params?: Statement["params"]; readonly readOnly: boolean },
  { signal, limits }: {
    readonly signal?: AbortSignal;
    readonly limits?: Parameters<typeof readQuery>[1];
  } = {},
): Promise<QueryOutcome> {
  const { params: values, ...rest } = body;
  const sent = { ...rest, branch, ...(values === undefined ? {} : { params: [...values] }) };
  try {
    const events = await api.stream(endpoints.queryDatabase, { params, body: sent, signal });
    return await readQuery(events, limits);
  } catch (error) {
    if (!(error instanceof Failure) || !OUTCOMES.has(error.code)) throw error;
    return { results: [], notices: [], isCut: false, error: error.message };
  }
}

/**
 * Runs one of the editor's statements.
 *
 * @returns its rows and its command tag
 * @throws {StatementError} with PostgreSQL's error
 */
export async function runStatement(
  place: BranchPlace,
  { sql, params }: Statement,
  { readOnly }: { readonly readOnly: boolean },
): Promise<{ readonly rows: readonly ResultRow[]; readonly command: string }> {
  const signal = AbortSignal.timeout(MAX_TIME);
  const { results, error, isCut } = await runForPage(place, { sql, params, readOnly }, {
    signal,
    limits: LIMITS,
  }).catch((cause) => {
    if (!signal.aborted) throw cause;
    throw new StatementError(`Stopped after ${MAX_TIME / 1000} seconds`, { cause });
  });
  if (signal.aborted) throw new StatementError(`Stopped after ${MAX_TIME / 1000} seconds`);
  if (error !== undefined) throw new StatementError(error);
  if (isCut) throw new StatementError("The result is too large for this page");
  return { rows: results[0]?.rows ?? [], command: results[0]?.command ?? "" };
}
