/** @module Runs SQL for people and programs, with each statement's result as events. */
import { serialize } from "pg-protocol";
import type { BackendMessage, ReadyForQueryMessage } from "pg-protocol/dist/messages.js";
import { type BackendSession, EngineError } from "../types.ts";
import { ProtocolError } from "../wire/frame_scanner.ts";
import { AnswerEvents, type SentText } from "./answer_events.ts";
import { MessageStream } from "./message_stream.ts";
import { splitStatements } from "../../lib/sql_statements.ts";
import { asEvent, refuseReadOnly } from "./refuse_read_only.ts";
import type { QueryErrorEvent, SqlEvent } from "./types.ts";

export interface RunSqlOptions {
  /**
   * Values of `$1`, `$2` and so on, in PostgreSQL's text form. If there are values, the text must
   * be one statement.
   */
  readonly params?: readonly (string | null)[];
  /** Runs everything in one read-only transaction, which is rolled back. */
  readonly readOnly?: boolean;
  /** Cancels the running statement. */
  readonly signal?: AbortSignal;
}

/** Time for a cancelled statement to finish, in milliseconds. */
const CANCEL_MS = 5_000;

/**
 * A query that takes a snapshot, after which the transaction can no longer be made writable
 * (`transaction_read_only`).
 */
const BEGIN_READ_ONLY = "BEGIN READ ONLY; SELECT 1";

const NO_DATA = "COPY FROM STDIN is not supported here: use psql, or import the file";

/**
 * Runs one or more SQL statements, and closes the session at the end. Reads the next part of a
 * result only when the previous events have been consumed, so memory use does not depend on the
 * number of rows.
 *
 * With `readOnly`, statements are sent one at a time, which the extended protocol enforces. None of
 * them may end the surrounding read-only transaction.
 */
export async function* runSql(
  session: BackendSession,
  sql: string,
  options: RunSqlOptions = {},
): AsyncGenerator<SqlEvent, void, void> {
  const { params, signal } = options;
  const run = new SqlRun(session, sql, params);
  const cancel = () => void run.cancel().catch(() => {});
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    if (signal?.aborted) yield cancelled();
    else yield* options.readOnly ? run.readOnly() : run.text();
  } catch (error) {
    if (error instanceof EngineError) yield asEvent(error.sqlState, error.message);
    else if (error instanceof ProtocolError) {
      yield asEvent("54000", "A row is too large to show: select less data");
    } else throw error;
  } finally {
    signal?.removeEventListener("abort", cancel);
    await run.close();
  }
}

interface Answered {
  /** `I` outside of a transaction, `T` in a transaction, `E` in a failed transaction. */
  readonly status: string;
  readonly failed: boolean;
}

class SqlRun {
  readonly #messages: MessageStream;
  #busy = false;
  #late: ReturnType<typeof setTimeout> | undefined;

  readonly #session: BackendSession;
  readonly #sql: string;
  readonly #params: RunSqlOptions["params"];

  constructor(session: BackendSession, sql: string, params: RunSqlOptions["params"]) {
    this.#session = session;
    this.#sql = sql;
    this.#params = params;
    this.#messages = new MessageStream(session);
  }

  async cancel(): Promise<void> {
    this.#late ??= setTimeout(() => void this.#session.close().catch(() => {}), CANCEL_MS);
    await this.#session.cancel().catch(() => {});
  }

  /** Cancels an abandoned statement, and closes the session. */
  async close(): Promise<void> {
    clearTimeout(this.#late);
    if (this.#busy) await this.#session.cancel().catch(() => {});
    await this.#session.close().catch(() => {});
  }

  async *text(): AsyncGenerator<SqlEvent, void, void> {
    const text = { all: this.#sql, start: 0 };
    const query = this.#params === undefined
      ? serialize.query(this.#sql)
      : oneStatement(this.#sql, this.#params);
    const { status, failed } = yield* this.#answers(query, text);
    if (status !== "I" && !failed) {
      yield {
        type: "notice",
        severity: "WARNING",
        message: "The SQL left a transaction open, which was rolled back",
      };
    }
  }

  async *readOnly(): AsyncGenerator<SqlEvent, void, void> {
    for await (const event of this.#answers(serialize.query(BEGIN_READ_ONLY), NOWHERE)) {
      if (event.type === "error") return yield event;
    }
    const statements = splitStatements(this.#sql);
    if (this.#params !== undefined && statements.length > 1) {
      return yield asEvent("42601", "Send one statement with its parameters");
    }
    for (const { text, start } of statements) {
      const refusal = refuseReadOnly(text);
      if (refusal !== undefined) return yield refusal;
      const sent = { all: this.#sql, start };
      const { failed } = yield* this.#answers(oneStatement(text, this.#params), sent);
      if (failed) return;
    }
  }

  /** Sends a query. Yields events up to `ReadyForQuery`. */
  async *#answers(query: Uint8Array, text: SentText): AsyncGenerator<SqlEvent, Answered, void> {
    const events = new AnswerEvents();
    this.#busy = true;
    await this.#messages.write(query);
    let failed = false;
    for (;;) {
      const messages = await this.#messages.read();
      for (const event of events.take(messages, text)) {
        // Only the first error counts, because closing the session causes another one.
        if (failed) continue;
        failed = event.type === "error";
        yield event;
      }
      if (messages.some(({ name }) => name === "copyInResponse")) {
        await this.#messages.write(serialize.copyFail(NO_DATA));
      }
      const ready = messages.find((message) => message.name === "readyForQuery");
      if (ready === undefined) continue;
      this.#busy = false;
      return { status: (ready as BackendMessage as ReadyForQueryMessage).status, failed };
    }
  }
}

const NOWHERE: SentText = { all: "", start: 0 };

/**
 * Returns the messages for one statement. `Parse` accepts only one statement, so the server rejects
 * text with several.
 */
function oneStatement(text: string, params: RunSqlOptions["params"] = []): Uint8Array {
  const parts = [
    serialize.parse({ text }),
    serialize.bind({ values: [...params] }),
    serialize.describe({ type: "P" }),
    serialize.execute(),
    serialize.sync(),
  ];
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

const cancelled = (): QueryErrorEvent => asEvent("57014", "The query was cancelled");
