/** @module A response inside the edge, before it becomes a `Response`. */
import { type HeaderEdit, isEdgeField } from "../../rules/mod.ts";
import type { ComputeSocket } from "../../runtime/mod.ts";
import { prolongs } from "./lifetime_fields.ts";
import type { BodyStream, MemoryBody } from "../messages/body.ts";
import type { Header, HeaderList } from "../messages/header_list.ts";
import type { Kept } from "../messages/messages.ts";

/** The lowest status that counts as a failure. */
const FIRST_FAILURE = 400;

/**
 * The policy for content that visitors may have created. It blocks all scripts, and applies in
 * addition to a site's own policy.
 */
export const HARMLESS: Header = [
  "content-security-policy",
  "default-src 'none'; style-src 'unsafe-inline'; sandbox",
];

export interface EdgeResponse {
  readonly status: number;
  /**
   * All header fields except the request ID. May be shared between responses, so never modified.
   */
  readonly headers: HeaderList;
  readonly body: MemoryBody | BodyStream | null;
  /** Length of the body in bytes; `undefined` if the length is not known in advance. */
  readonly bytes: number | undefined;
  /** Why something behind the edge failed. Goes to the site's log, never to the client. */
  readonly problem?: string;
  /** A server's open WebSocket. The client's connection is upgraded, and the status is 101. */
  readonly upgrade?: ComputeSocket;
  /** Whether this is one of the edge's own pages, which the site's own page may replace. */
  readonly isEdgePage?: boolean | undefined;
  /**
   * Whether the edge's caches must not store the response, because its source can change at any
   * time without notice.
   */
  readonly isCurrent?: boolean | undefined;
  /**
   * The stored response, if this response contains all of its content and rules have not edited it
   * yet.
   */
  readonly kept?: Kept | undefined;
  /** Whether traffic statistics ignore the response. */
  readonly isUncounted?: boolean;
}

/**
 * Applies header rules in order. `set` replaces all fields of its name except {@link HARMLESS}.
 * Fields that frame the message or identify the response do not change. A failure gets no cache
 * lifetime. Otherwise, a page that is missing for a moment could stay missing for a year.
 */
export function applyHeaderEdits(
  { headers, status }: Pick<EdgeResponse, "headers" | "status">,
  edits: readonly HeaderEdit[],
): HeaderList {
  const isFailure = status >= FIRST_FAILURE;
  let edited: Header[] = [...headers];
  for (const edit of edits) {
    const name = edit.name.toLowerCase();
    if (isEdgeField(name) || (isFailure && !isForFailures(edit) && prolongs(name, edit))) continue;
    edited = edited.filter((header) => header[0] !== name || isHarmless(header));
    if (edit.type === "set") edited.push([name, edit.value]);
  }
  return edited;
}

const isHarmless = ([name, value]: Header): boolean =>
  name === HARMLESS[0] && value === HARMLESS[1];

/** Returns whether an edit's rule explicitly sets a lifetime for failures. */
const isForFailures = (edit: HeaderEdit): boolean => edit.type === "set" && edit.onFailure === true;
