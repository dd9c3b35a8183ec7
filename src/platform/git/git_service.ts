/**
 * What git knows of the repositories of projects: commits and branches.
 *
 * @module
 */
import type { ProjectRecord } from "../projects/mod.ts";

/** The commit that a trigger means. */
export type Resolved =
  | {
    readonly type: "found";
    /** All 40 digits, lower case. */
    readonly sha: string;
    /** First line of the commit's message. */
    readonly message: string;
    readonly author: string;
  }
  | { readonly type: "branch_not_found" }
  | { readonly type: "commit_not_found" }
  /** A short SHA that several commits begin with: their full SHAs, the first few. */
  | { readonly type: "ambiguous"; readonly candidates: readonly string[] }
  | { readonly type: "not_on_branch"; readonly sha: string }
  /** The repository does not let us in, or there is no git URL. */
  | { readonly type: "unauthorized" }
  /** No answer, or too late. `reason` is for people and holds no secret. */
  | { readonly type: "unreachable"; readonly reason: string };

export type Branches =
  /** Names of the branches that the repository has now. */
  | { readonly type: "found"; readonly branches: ReadonlySet<string> }
  | { readonly type: "unreachable"; readonly reason: string };

export interface GitService {
  /**
   * Why the platform never goes to an address, for people; `undefined` where it
   * would try. Nothing is asked of the network.
   */
  refusal(gitUrl: string): string | undefined;
  /** Finds a commit on a branch, fetching where the mirror does not know both. */
  resolve(
    project: ProjectRecord,
    wanted: { readonly branch: string; readonly commitSha: string },
    signal: AbortSignal,
  ): Promise<Resolved>;
  /** Asks the repository which branches it has. */
  branches(project: ProjectRecord, signal: AbortSignal): Promise<Branches>;
  /** Removes the mirror of a project that is gone or has another repository now. */
  forget(projectId: string): Promise<void>;
}
