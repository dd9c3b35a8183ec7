/**
 * Things that an argument or the value of a flag can name.
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
  | "drain"
  | "webhook"
  | "api-key"
  | "workspace";

export interface Candidate {
  /** The value for the argument. */
  readonly value: string;
  /** Another name that people know it by, if there is one. */
  readonly hint?: string;
}

/** Looks up what exists; `project` is the value of `--project-id`. A failure offers nothing. */
export type LookUp = (
  kind: CandidateKind,
  project: string | undefined,
) => Promise<readonly Candidate[]>;
