/** @module The resources that the value of an argument or flag can name. */

/** Kinds of resources that have names or IDs. */
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
  /** Another name that the user sees, if there is one. */
  readonly hint?: string;
}

/**
 * Looks up existing resources. `project` is the value of `--project-id`. Returns nothing if the
 * lookup fails.
 */
export type LookUp = (
  kind: CandidateKind,
  project: string | undefined,
) => Promise<readonly Candidate[]>;
