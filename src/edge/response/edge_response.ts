/**
 * An answer before it becomes a `Response`.
 *
 * @module
 */
import { type HeaderEdit, isEdgeField } from "../../rules/mod.ts";
import type { ComputeSocket } from "../../runtime/mod.ts";
import type { BlobBody } from "../messages/body.ts";
import type { Header, HeaderList } from "../messages/header_list.ts";

export interface Answer {
  readonly status: number;
  /** All fields but the request id. May be shared: never changed. */
  readonly headers: HeaderList;
  readonly body: BlobBody | ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** Length of the body; `undefined` where only its end will tell. */
  readonly bytes: number | undefined;
  /** Why something behind the edge could not answer; for the site's log, not for the client. */
  readonly problem?: string;
  /** The open socket of a server, to which the client's connection is upgraded; its status is 101. */
  readonly upgrade?: ComputeSocket;
}

const DIGITS = /^\d{1,15}$/;

/** Length of a body in bytes, as far as it is known; `field` is its `Content-Length`. */
export function bodyLength(body: Answer["body"], field: string | undefined): number | undefined {
  if (body === null) return 0;
  // Text is ASCII: a character is a byte.
  if (typeof body === "string") return body.length;
  if (body instanceof Uint8Array) return body.byteLength;
  return field !== undefined && DIGITS.test(field) ? Number(field) : undefined;
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
