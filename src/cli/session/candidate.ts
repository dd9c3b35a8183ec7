/** @module Resources that an argument or flag value can name. */

/** Kinds of resources with names or ids. */
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
  readonly value: string;
  /** Another name for people, if there is one. */
  readonly hint?: string;
}

/**
 * Looks up the existing ones; `project` is the value of `--project-id`. A failure offers nothing.
 */
export type LookUp = (
  kind: CandidateKind,
  project: string | undefined,
) => Promise<readonly Candidate[]>;
