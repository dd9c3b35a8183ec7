/** @module Runs a script of any length, such as a `pg_dump`, in one transaction. */
import { Buffer } from "node:buffer";
import { serialize } from "pg-protocol";
import type { ReadyForQueryMessage } from "pg-protocol/dist/messages.js";
import { type BackendSession, EngineError } from "../types.ts";
import { AnswerEvents } from "./answer_events.ts";
import { MessageStream } from "./message_stream.ts";
import { firstTokenAt, type Statement, StatementSplitter } from "../../lib/sql_statements.ts";
import type { QueryErrorEvent, SqlEvent } from "./types.ts";

/** Maximum length of a statement, and of each of its lines, in UTF-16 code units. */
const MAX_STATEMENT = 64 * 1024 * 1024;
/** COPY data is sent in chunks of about this size, in UTF-16 code units. */
const COPY_PIECE = 64 * 1024;

const COPY_FROM_STDIN = /^copy\s[\s\S]*\sfrom\s+stdin\b/i;
const END_OF_COPY = /^\\\.\r?\n?$/;
/** Lines between statements: blank ones, comments, and psql commands. */
const BETWEEN = /^(?:\s*$|--|\\)/;
/** Commands that `pg_dump` writes only for psql. */
const FOR_PSQL = /^\\(?:un)?restrict\b/;
/** Statements that would begin or end the transaction around the script. */
const TRANSACTION_EDGE = /^(?:begin|start\s+transaction|commit|end)\b/i;
/** Matches a setting that this server may not know. */
const SETTING = /^set\s+(?!(?:local|session|constraints|transaction|role)\b)\w+\s*(?:=|to\b)/i;
const UNKNOWN = "42704";
const MISSING_RIGHT = "42501";
/** Statements from `pg_dump` about roles and owners, which are different on another server. */
const OF_ROLES =
  /^(?:alter\s[\s\S]*\sowner\s+to\s|alter\s+default\s+privileges\s|grant\s|revoke\s|create\s+policy\s|comment\s+on\s+(?:extension|policy)\s)/i;
/** First bytes of `pg_dump` archives and compressed files. */
const ARCHIVES: readonly (readonly [start: string, kind: string, advice: string])[] = [
  ["PGDMP", "a pg_dump archive (-Fc)", "pg_restore --no-owner --file=dump.sql"],
  ["toc.dat\0", "a pg_dump archive (-Ft)", "pg_restore --no-owner --file=dump.sql"],
  ["\x1f\x8b", "compressed with gzip", "gunzip"],
  ["\x28\xb5\x2f\xfd", "compressed with zstd", "unzstd"],
];
const ROLLBACK = /^(?:rollback|abort)\b(?!\s+to\b)/i;

interface RunScriptOptions {
  /** Cancels the running statement. In that case, no part of the script takes effect. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a script. Yields the notices and an event for the end of each statement, but no rows. If
 * there is an `error` event, it is the last event, and no part of the script has taken effect.
 * Closes the session at the end.
 */
export async function* runScript(
  session: BackendSession,
  script: ReadableStream<Uint8Array>,
  { signal }: RunScriptOptions = {},
): AsyncGenerator<SqlEvent, void, void> {
  const cancel = () => void session.cancel().catch(() => {});
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    yield* new ScriptRun(session, signal).run(script);
  } catch (error) {
    if (error instanceof EngineError) yield problem(error.sqlState, error.message);
    else if (error instanceof TypeError) {
      yield problem("22021", `The script cannot be read as UTF-8: ${error.message}`);
    } else throw error;
  } finally {
    signal?.removeEventListener("abort", cancel);
    await session.close().catch(() => {});
  }
}

function problem(sqlState: string, message: string, position: number | null = null) {
  const event: QueryErrorEvent = {
    type: "error",
    message,
    sqlState,
    detail: null,
    hint: null,
    position,
  };
  return event;
}

class ScriptRun {
  readonly #messages: MessageStream;
  readonly #splitter = new StatementSplitter();
  /** Number of characters of the script that were not passed to the splitter. */
  #skipped = 0;

  readonly #signal: AbortSignal | undefined;

  constructor(session: BackendSession, signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.#messages = new MessageStream(session);
  }

  async *run(script: ReadableStream<Uint8Array>): AsyncGenerator<SqlEvent, void, void> {
    const lines = linesOf(script);
    for await (const event of this.#send("BEGIN")) if (event.type === "error") return yield event;
    for await (const line of lines) {
      if (this.#signal?.aborted) return yield problem("57014", "The import was cancelled");
      if (this.#splitter.pendingLength === 0 && BETWEEN.test(line)) {
        this.#skipped += line.length;
        if (!line.startsWith("\\") || FOR_PSQL.test(line)) continue;
        return yield problem("42601", `${line.trim()} is a psql command, not SQL`);
      }
      if (this.#splitter.pendingLength + line.length > MAX_STATEMENT) {
        return yield problem("54000", "A statement in the script is too long");
      }
      for (const statement of this.#splitter.push(line)) {
        if (yield* this.#statement(statement, lines)) return;
      }
      const blanks = line.length - line.trimEnd().length;
      if (this.#splitter.pendingLength <= blanks) this.#splitter.takeRest();
    }
    for (const statement of this.#splitter.end()) {
      if (yield* this.#statement(statement, lines)) return;
    }
    for await (const event of this.#send("COMMIT")) if (event.type === "error") yield event;
  }

  /** Runs a statement. Returns true if the script must not continue. */
  async *#statement(
    { text, start }: Statement,
    lines: AsyncGenerator<string, void, void>,
  ): AsyncGenerator<SqlEvent, boolean, void> {
    const sql = text.slice(firstTokenAt(text));
    const at = start + this.#skipped;
    if (TRANSACTION_EDGE.test(sql)) return false;
    if (ROLLBACK.test(sql)) {
      yield problem("25001", "A script is one transaction: ROLLBACK is not allowed", at + 1);
      return true;
    }
    if (SETTING.test(sql)) return yield* this.#tolerant(text, { at, passesOver: [UNKNOWN] });
    if (OF_ROLES.test(sql)) {
      return yield* this.#tolerant(text, { at, passesOver: [UNKNOWN, MISSING_RIGHT] });
    }
    const data = COPY_FROM_STDIN.test(sql) ? lines : undefined;
    for await (const event of this.#send(text, data)) {
      if (event.type !== "error") {
        if (event.type === "complete" || event.type === "notice") yield event;
        continue;
      }
      yield event.position === null ? event : { ...event, position: at + event.position };
      return true;
    }
    return false;
  }

  /** Runs a statement, and ignores some failures, as `psql` would. */
  async *#tolerant(
    text: string,
    { at, passesOver }: { readonly at: number; readonly passesOver: readonly string[] },
  ): AsyncGenerator<SqlEvent, boolean, void> {
    await this.#quietly("SAVEPOINT svc_tolerant");
    let failure: QueryErrorEvent | undefined;
    for await (const event of this.#send(text)) {
      if (event.type === "error") failure = event;
      else if (event.type !== "rows" && event.type !== "columns") yield event;
    }
    if (failure !== undefined && !passesOver.includes(failure.sqlState ?? "")) {
      const { position } = failure;
      yield position === null ? failure : { ...failure, position: at + position };
      return true;
    }
    if (failure !== undefined) {
      await this.#quietly("ROLLBACK TO SAVEPOINT svc_tolerant");
      yield { type: "notice", severity: "WARNING", message: `${failure.message}: skipped` };
    }
    await this.#quietly("RELEASE SAVEPOINT svc_tolerant");
    return false;
  }

  /** Runs statements that never fail in an open transaction. */
  async #quietly(text: string): Promise<void> {
    for await (const event of this.#send(text)) {
      if (event.type === "error") throw new EngineError(event.message, event.sqlState);
    }
  }

  /**
   * Sends one statement, followed by its data if it is a COPY. Yields all events of the statement.
   */
  async *#send(
    text: string,
    data?: AsyncGenerator<string, void, void>,
  ): AsyncGenerator<SqlEvent, void, void> {
    const events = new AnswerEvents();
    await this.#messages.write(serialize.query(text));
    for (;;) {
      const messages = await this.#messages.read();
      yield* events.take(messages, { all: text, start: 0 });
      if (messages.some(({ name }) => name === "copyInResponse")) await this.#copy(data);
      if (messages.some((each) => (each as ReadyForQueryMessage).name === "readyForQuery")) return;
    }
  }

  /** Sends the lines of the script up to `\.`. */
  async #copy(lines: AsyncGenerator<string, void, void> | undefined): Promise<void> {
    let piece = "";
    const flush = async () => {
      if (piece !== "") await this.#messages.write(serialize.copyData(Buffer.from(piece)));
      piece = "";
    };
    for (;;) {
      const { value: line, done } = lines === undefined
        ? { done: true, value: undefined }
        : await lines.next();
      if (line === undefined || done) {
        await this.#messages.write(
          serialize.copyFail("The script ends in the middle of COPY data"),
        );
        return;
      }
      this.#skipped += line.length;
      if (END_OF_COPY.test(line)) break;
      piece += line;
      if (piece.length >= COPY_PIECE) await flush();
    }
    await flush();
    await this.#messages.write(serialize.copyDone());
  }
}

/** @throws {EngineError} if a file is not text, with a message that explains how to convert it */
function refuseArchive(bytes: Uint8Array): void {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  const found = ARCHIVES.find(([mark]) => start.startsWith(mark));
  if (found === undefined) return;
  const [, kind, advice] = found;
  throw new EngineError(
    `The file is ${kind}, not SQL. Convert it to SQL: ${advice} <file>`,
    "22021",
  );
}

/** Returns the lines of a script, including their line breaks. */
async function* linesOf(script: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const parts: string[] = [];
  let length = 0;
  const take = function* (text: string) {
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      parts.push(text.slice(start, end + 1));
      yield parts.splice(0).join("");
      [start, length] = [end + 1, 0];
    }
    if (start === text.length) return;
    parts.push(text.slice(start));
    length += text.length - start;
    if (length > MAX_STATEMENT) throw new EngineError("A line in the script is too long", "54000");
  };
  let isFirst = true;
  for await (const bytes of script) {
    if (isFirst && bytes.byteLength > 0) refuseArchive(bytes);
    isFirst &&= bytes.byteLength === 0;
    yield* take(decoder.decode(bytes, { stream: true }));
  }
  yield* take(decoder.decode());
  if (parts.length > 0) yield parts.join("");
}
