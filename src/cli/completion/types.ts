/**
 * What can stand for an argument or the value of a flag.
 *
 * @module
 */

/** Kinds of things that have names or ids. */
export type CandidateKind =
  | "project"
  | "environment"
  | "deployment"
  | "domain"
  | "hook"
  | "variable"
  | "webhook"
  | "workspace";

export interface Candidate {
  /** What the argument is set to. */
  readonly value: string;
  /** What a person knows it by, where that is something else. */
  readonly hint?: string;
}

/** Looks up what exists; `project` is the value of `--project-id`. Failures offer nothing. */
export type LookUp = (
  kind: CandidateKind,
  project: string | undefined,
) => Promise<readonly Candidate[]>;

/** Flags that name such things, in all commands. */
export const FLAG_KINDS: Readonly<Record<string, CandidateKind>> = {
  "--project-id": "project",
  "--environment": "environment",
  "--deployment-id": "deployment",
  "--to": "deployment",
  "--workspace": "workspace",
};
