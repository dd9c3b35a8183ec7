/**
 * What an argument or the value of a flag can name.
 *
 * @module
 */

/** Kinds of things that have names or ids. */
export type CandidateKind =
  | "project"
  | "database"
  | "database-branch"
  | "database-snapshot"
  | "deleted-database"
  | "environment"
  | "deployment"
  | "domain"
  | "hook"
  | "variable"
  | "webhook"
  | "api-key"
  | "workspace";

export interface Candidate {
  /** What the argument is set to. */
  readonly value: string;
  /** What a person knows it by, where that is something else. */
  readonly hint?: string;
}

/** Looks up what exists; `project` is the value of `--project-id`. A failure offers nothing. */
export type LookUp = (
  kind: CandidateKind,
  project: string | undefined,
) => Promise<readonly Candidate[]>;
