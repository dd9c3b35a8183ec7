/**
 * The edge's form of a response, before it becomes a `Response`.
 *
 * @module
 */
import { type HeaderEdit, isEdgeField } from "../../rules/mod.ts";
import type { ComputeSocket } from "../../runtime/mod.ts";
import type { BodyStream, Header, HeaderList, MemoryBody } from "../messages/mod.ts";

export interface EdgeResponse {
  readonly status: number;
  /** All fields but the request id. May be shared between responses, so never changed. */
  readonly headers: HeaderList;
  readonly body: MemoryBody | BodyStream | null;
  /** Length of the body in bytes; `undefined` where it is not known in advance. */
  readonly bytes: number | undefined;
  /** Why something behind the edge failed; for the site's log, never for the client. */
  readonly problem?: string;
  /** The open WebSocket of a server; the client's connection is upgraded, and the status is 101. */
  readonly upgrade?: ComputeSocket;
  /** Whether traffic statistics leave it out. */
  readonly isUncounted?: boolean;
}

/**
 * Applies header rules in order. `set` replaces all fields of its name. Fields
 * that frame the message or identify the response stay as they are.
 */
export function applyHeaderEdits(headers: HeaderList, edits: readonly HeaderEdit[]): HeaderList {
  let edited: Header[] = [...headers];
  for (const edit of edits) {
    const name = edit.name.toLowerCase();
    if (isEdgeField(name)) continue;
    edited = edited.filter((header) => header[0] !== name);
    if (edit.type === "set") edited.push([name, edit.value]);
  }
  return edited;
}
