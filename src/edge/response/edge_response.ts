/**
 * An answer before it becomes a `Response`.
 *
 * @module
 */
import { type HeaderEdit, isEdgeField } from "../../rules/mod.ts";
import type { ComputeSocket } from "../../runtime/mod.ts";
import type { BodyStream, Header, HeaderList, MemoryBody } from "../messages/mod.ts";

export interface EdgeResponse {
  readonly status: number;
  /** All fields but the request id. May be shared: never changed. */
  readonly headers: HeaderList;
  readonly body: MemoryBody | BodyStream | null;
  /** Length of the body; `undefined` where only its end will tell. */
  readonly bytes: number | undefined;
  /** Why something behind the edge could not answer; for the site's log, not for the client. */
  readonly problem?: string;
  /** The open socket of a server, to which the client's connection is upgraded; its status is 101. */
  readonly upgrade?: ComputeSocket;
}

/**
 * Applies header rules, in order. Setting replaces every field of the name.
 * Fields that frame the message or identify the answer stay as they are.
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
