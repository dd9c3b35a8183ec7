/** @module Runs statements with parameters, for callers that want whole results. */
import { serialize } from "pg-protocol";
import { type BackendSession, EngineError } from "../types.ts";
import { AnswerEvents } from "./answer_events.ts";
import { MessageStream } from "./message_stream.ts";
import type { Column, QueryErrorEvent } from "./types.ts";

export interface StatementResult {
  readonly columns: readonly Column[];
  /** Values in PostgreSQL's text form. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** For example `INSERT 0 3`. Null for an empty statement. */
  readonly command: string | null;
}

interface RunStatementOptions {
  /** Values of `$1`, `$2` and so on, in PostgreSQL's text form. */
  readonly params: readonly (string | null)[];
  /** Maximum number of characters in the result's values. */
  readonly maxCharacters: number;
  /** Cancels the statement. */
  readonly signal?: AbortSignal;
}

/** Runs one statement in a session. A PostgreSQL error is returned as a result. */
export type RunOne = (
  text: string,
  params: readonly (string | null)[],
) => Promise<StatementResult | QueryErrorEvent>;

/**
 * Lets `work` run statements one after the other, and closes the session.
 *
 * @throws {EngineError} if the session ends, or a result is too large
 */
export async function withStatements<T>(
  session: BackendSession,
  { maxCharacters, signal }: Omit<RunStatementOptions, "params">,
  work: (run: RunOne) => Promise<T>,
): Promise<T> {
  const cancel = () => void session.cancel().catch(() => {});
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const messages = new MessageStream(session);
    return await work(async (text, params) => {
      if (signal?.aborted) throw new EngineError("The query was cancelled", "57014");
      await messages.write(serialize.parse({ text }));
      await messages.write(serialize.bind({ values: [...params] }));
      await messages.write(serialize.describe({ type: "P" }));
      await messages.write(serialize.execute());
      await messages.write(serialize.sync());
      return await collect(messages, text, maxCharacters);
    });
  } finally {
    signal?.removeEventListener("abort", cancel);
    await session.close().catch(() => {});
  }
}

/**
 * Runs one statement and closes the session.
 *
 * @returns its result, or PostgreSQL's error
 * @throws {EngineError} if the session ends, or the result is too large
 */
export function runStatement(
  session: BackendSession,
  text: string,
  { params, ...limits }: RunStatementOptions,
): Promise<StatementResult | QueryErrorEvent> {
  return withStatements(session, limits, (run) => run(text, params));
}

async function collect(
  messages: MessageStream,
  text: string,
  maxCharacters: number,
): Promise<StatementResult | QueryErrorEvent> {
  const events = new AnswerEvents();
  const rows: (string | null)[][] = [];
  let [columns, command]: [readonly Column[], string | null] = [[], null];
  let [characters, failure]: [number, QueryErrorEvent | undefined] = [0, undefined];
  for (;;) {
    const read = await messages.read();
    for (const event of events.take(read, { all: text, start: 0 })) {
      if (event.type === "error") failure ??= event;
      else if (event.type === "columns") columns = event.columns;
      else if (event.type === "complete") command = event.command;
      else if (event.type === "rows") {
        rows.push(...event.rows);
        for (const row of event.rows) {
          for (const value of row) characters += value?.length ?? 4;
        }
      }
    }
    if (characters > maxCharacters) {
      throw new EngineError(
        `The result has more than ${maxCharacters} characters: select less data`,
        "54000",
      );
    }
    if (read.some(({ name }) => name === "copyInResponse")) {
      await messages.write(serialize.copyFail("COPY FROM STDIN is not supported here"));
    }
    if (read.some(({ name }) => name === "readyForQuery")) {
      return failure ?? { columns, rows, command };
    }
  }
}
