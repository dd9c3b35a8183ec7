/** The platform's interface to projects' repositories: commits and branches. @module */
import type { ProjectRecord, UnknownRepository } from "../projects/mod.ts";
import type { GitFailure } from "./git_failure.ts";

export type Resolved =
  | {
    readonly type: "found";
    /** All 40 digits of the commit's SHA, in lower case. */
    readonly sha: string;
    /** The first line of the commit message. */
    readonly message: string;
    readonly author: string;
  }
  | { readonly type: "branch_not_found" }
  | { readonly type: "commit_not_found" }
  /** Several commits start with the short SHA. Contains the first few full SHAs. */
  | { readonly type: "ambiguous"; readonly candidates: readonly string[] }
  | { readonly type: "not_on_branch"; readonly sha: string }
  /** Access was denied, or the project has no git URL. */
  | { readonly type: "unauthorized" }
  /** No response in time. `reason` is human-readable and contains no secrets. */
  | { readonly type: "unreachable"; readonly reason: string };

export type Branches =
  /** The names of the branches that the repository currently has. */
  | { readonly type: "found"; readonly branches: ReadonlySet<string> }
  | { readonly type: "unreachable"; readonly reason: string };

export interface WantedCommit {
  readonly branch: string;
  /** 7 to 40 digits of the commit's SHA; by default, the head of the branch. */
  readonly commitSha?: string | undefined;
}

export interface CommitFiles {
  /** Paths of all files, up to a limit. */
  readonly paths: readonly string[];
  /**
   * Reads the text of a file; `undefined` if there is no such file, or if the file is too large.
   */
  readText(path: string): Promise<string | undefined>;
}

export interface GitService {
  /**
   * Finds a commit. Fetches the repository if the mirror lacks the commit, and always for the head
   * of a branch.
   */
  resolve(project: ProjectRecord, wanted: WantedCommit, signal: AbortSignal): Promise<Resolved>;
  branches(project: ProjectRecord, signal: AbortSignal): Promise<Branches>;
  /**
   * Checks a repository that no project uses yet. Returns `undefined` if the repository can be
   * read.
   */
  check(repository: UnknownRepository, signal: AbortSignal): Promise<GitFailure | undefined>;
  /** Lists the files of a commit that `resolve()` has found. */
  filesOf(projectId: string, sha: string): Promise<CommitFiles>;
  /** Removes the mirror of a project that was deleted or has a different repository now. */
  removeMirror(projectId: string): Promise<void>;
}
