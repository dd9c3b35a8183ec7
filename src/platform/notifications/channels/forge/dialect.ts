/** Requests to the API of a forge, in terms that all forges share. @module */
import type { Forge } from "../../../../contract/projects.ts";

/** A repository, as the API of its forge addresses it. */
export interface ForgeTarget {
  readonly forge: Forge;
  /** URL of the API, without a final slash. */
  readonly api: string;
  /** Path segments of the repository; its own name is the last one. */
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
   * Distinguishes this status from others of the commit; a later one with the same name replaces
   * it.
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
  /** The version that a change must include. */
  readonly version?: number | undefined;
}

/** The API of one kind of forge. All of it is pure. */
export interface Dialect {
  /** Headers of every request, including the token. */
  fields(target: ForgeTarget): readonly (readonly [string, string])[];
  status(target: ForgeTarget, status: CommitStatus): ForgeRequest;
  /** Whether a refusal means that the commit already has the status. */
  isMarked?(answer: { readonly status: number; readonly text: string }): boolean;
  /** Lists the comments of a pull request. */
  comments(target: ForgeTarget, pull: number): ForgeRequest;
  /** Fetches a comment, if a change must name its version. */
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

/** A URL below the API's URL; each part is encoded. */
export function at({ api }: ForgeTarget, ...parts: readonly (string | number)[]): string {
  return [api, ...parts.map((part) => encodeURIComponent(part))].join("/");
}
