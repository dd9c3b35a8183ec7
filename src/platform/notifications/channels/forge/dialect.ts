/** Requests to a forge's API, in terms that all forges share. @module */
import type { Forge } from "../../../../contract/projects.ts";

/** The address of a repository in its forge's API. */
export interface ForgeTarget {
  readonly forge: Forge;
  /** The API's URL, without a trailing slash. */
  readonly api: string;
  /** The segments of the repository's path. The last one is the repository's own name. */
  readonly path: readonly string[];
  readonly username: string;
  readonly token: string;
}

export type CommitState = "waiting" | "building" | "live" | "failed" | "stopped";

export interface CommitStatus {
  readonly sha: string;
  readonly branch: string;
  readonly state: CommitState;
  /**
   * Distinguishes this status from the commit's other statuses. A later status with the same name
   * replaces this one.
   */
  readonly name: string;
  readonly description: string;
  readonly url: string;
}

export interface ForgeRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  readonly url: string;
  readonly body?: unknown;
}

export interface ShownComment {
  readonly id: string;
  readonly text: string;
  /** The comment's version, which a change must include. */
  readonly version?: number | undefined;
}

/** The API of one kind of forge. All functions are pure. */
export interface Dialect {
  /** Returns the headers for every request, including the token. */
  fields(target: ForgeTarget): readonly (readonly [string, string])[];
  status(target: ForgeTarget, status: CommitStatus): ForgeRequest;
  /** Returns whether a refusal means that the commit already has the status. */
  isMarked?(answer: { readonly status: number; readonly text: string }): boolean;
  /** Lists the comments on a pull request. */
  comments(target: ForgeTarget, pull: number): ForgeRequest;
  /** Fetches a comment; missing if changes need not name the comment's version. */
  comment?(target: ForgeTarget, pull: number, id: string): ForgeRequest;
  addComment(target: ForgeTarget, pull: number, text: string): ForgeRequest;
  changeComment(
    target: ForgeTarget,
    pull: number,
    comment: ShownComment,
  ): ForgeRequest;
  /** @throws {z.ZodError} if the response is not a comment */
  readComment(answer: unknown): ShownComment;
  /** @throws {z.ZodError} if the response is not a list of comments */
  readComments(answer: unknown): readonly ShownComment[];
}

/** Returns a URL under the API's URL. Encodes each part. */
export function at({ api }: ForgeTarget, ...parts: readonly (string | number)[]): string {
  return [api, ...parts.map((part) => encodeURIComponent(part))].join("/");
}
