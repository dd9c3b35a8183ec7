/**
 * What the build queue, git and the build runner ask of each other. The queue
 * decides when a build runs and moves its deployment through its states; git
 * knows commits; the runner turns a commit into content. A trigger resolves a
 * commit first, so that a job always names a full SHA.
 *
 * @module
 */
import type { DeploymentFile, DeploymentFunction } from "../../contract/mod.ts";
import type { ProjectRecord } from "../projects/project.ts";

/** A build that a worker shall run. */
export interface BuildJob {
  readonly deploymentId: string;
  readonly projectId: string;
  readonly workspaceId: string;
  readonly branch: string;
  /** All 40 digits. */
  readonly commitSha: string;
  /** Name of the environment; its variables are in the deployment's snapshot. */
  readonly environment: string;
}

/** What a build made. Every blob that it names is stored already in the workspace's store. */
export interface BuiltContent {
  /** `.svc/manifest.json`, parsed; the queue validates it as that of an upload. */
  readonly manifest: unknown;
  readonly files: readonly DeploymentFile[];
  readonly functions: readonly DeploymentFunction[];
  /** The edge rule set as authored; missing where the project has none. */
  readonly rules?: unknown;
}

export type BuildOutcome =
  | { readonly type: "built"; readonly content: BuiltContent }
  /** `reason` is for people: it becomes the deployment's `error`, and holds no secret. */
  | { readonly type: "failed"; readonly reason: string }
  /** The signal was aborted, and nothing of the build runs any more. */
  | { readonly type: "cancelled" };

export interface BuildRunner {
  /**
   * Builds in a fresh checkout. Resolves when no process of the build is left;
   * rejects only where the platform itself is at fault.
   */
  run(job: BuildJob, signal: AbortSignal): Promise<BuildOutcome>;
  /** Removes what was kept of a build, such as its log; nothing where there is none. */
  forget(build: { readonly projectId: string; readonly deploymentId: string }): Promise<void>;
  /** Removes what was kept of all builds of a project: logs and caches. */
  forgetProject(projectId: string): Promise<void>;
}

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

/** How a private repository lets the platform in; never logged, never on a command line. */
export type GitCredentials =
  | { readonly type: "https"; readonly username: string; readonly token: string }
  /** A private key in OpenSSH or PEM form, without passphrase. */
  | {
    readonly type: "ssh";
    readonly privateKey: string;
    /** Lines of a `known_hosts` file; null trusts a host's key when it is first seen. */
    readonly knownHosts: string | null;
  };

/** Opens the credentials for a project's git URL; `undefined` where it has none for that host. */
export type OpenGitCredentials = (project: ProjectRecord) => Promise<GitCredentials | undefined>;
