/** @module Converts PostgreSQL's messages to events. */
import type {
  BackendMessage,
  CommandCompleteMessage,
  CopyDataMessage,
  DatabaseError,
  DataRowMessage,
  NoticeMessage,
  RowDescriptionMessage,
} from "pg-protocol/dist/messages.js";
import { typeName } from "./type_names.ts";
import type { QueryErrorEvent, SqlEvent } from "./types.ts";

/** The position of a statement in the user's text, for error positions. */
export interface SentText {
  readonly all: string;
  /** Number of UTF-16 code units that precede the statement that was sent. */
  readonly start: number;
}

/** Collects rows until another message arrives. */
export class AnswerEvents {
  #rows: (string | null)[][] = [];
  #copied: string | undefined;

  /**
   * Processes the messages of one chunk. Returns events, with all rows of the chunk in one event.
   */
  take(messages: readonly BackendMessage[], text: SentText): readonly SqlEvent[] {
    const events: SqlEvent[] = [];
    for (const message of messages) {
      if (message.name === "dataRow") {
        this.#rows.push((message as DataRowMessage).fields as (string | null)[]);
      } else if (message.name === "copyData") {
        this.#copied = (this.#copied ?? "") +
          (message as CopyDataMessage).chunk.toString("utf8");
        this.#takeLines();
      } else {
        this.#flush(events);
        events.push(...toEvents(message, text));
      }
    }
    this.#flush(events);
    return events;
  }

  #takeLines(): void {
    const lines = (this.#copied ?? "").split("\n");
    this.#copied = lines.pop();
    this.#rows.push(...lines.map((line) => [line]));
  }

  #flush(events: SqlEvent[]): void {
    if (this.#rows.length === 0) return;
    events.push({ type: "rows", rows: this.#rows });
    this.#rows = [];
  }
}

function toEvents(message: BackendMessage, text: SentText): readonly SqlEvent[] {
  switch (message.name) {
    case "rowDescription": {
      const { fields } = message as RowDescriptionMessage;
      const columns = fields.map(({ name, dataTypeID }) => ({ name, type: typeName(dataTypeID) }));
      return [{ type: "columns", columns }];
    }
    case "copyOutResponse":
      return [{ type: "columns", columns: [{ name: "copy", type: "text" }] }];
    case "commandComplete":
      return [{ type: "complete", command: (message as CommandCompleteMessage).text }];
    case "notice": {
      const { severity, message: said } = message as NoticeMessage;
      return [{ type: "notice", severity: severity ?? "NOTICE", message: said ?? "" }];
    }
    case "error":
      return [toErrorEvent(message as DatabaseError, text)];
    default:
      return [];
  }
}

function toErrorEvent(error: DatabaseError, { all, start }: SentText): QueryErrorEvent {
  const position = error.position === undefined ? null : Number(error.position);
  return {
    type: "error",
    message: error.message,
    sqlState: error.code ?? "XX000",
    detail: error.detail ?? null,
    hint: error.hint ?? null,
    // PostgreSQL counts characters in the statement that it received.
    position: position === null ? null : [...all.slice(0, start)].length + position,
  };
}
