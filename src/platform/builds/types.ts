/**
 * The interface between the build queue and the build runner. The queue decides when a build runs,
 * and updates the state of the build's deployment. The runner turns a commit into content. A
 * trigger resolves the commit first, so a job always contains a full SHA.
 *
 * @module
 */
import type { DeploymentFile } from "../../contract/deployment_files.ts";
import type { CommandResult } from "../../contract/release_checks.ts";
import type { CheckPlace } from "../deployments/mod.ts";
import type { DeploymentFunction } from "../../contract/deployments.ts";

/** A build for a worker to run. */
export interface BuildJob {
  readonly deploymentId: string;
  readonly projectId: string;
  readonly workspaceId: string;
  readonly branch: string;
  /** All 40 digits. */
  readonly commitSha: string;
  /** The environment's name. The environment's variables are in the deployment's snapshot. */
  readonly environment: string;
  /** The branch's current deployment, used to skip an unnecessary build; null to always build. */
  readonly since: { readonly commitSha: string; readonly createdAt: number } | null;
}

/** The output of a build. All its blobs are already in the workspace's store. */
export interface BuiltContent {
  /** `.svc/manifest.json`, parsed. The queue validates it like an upload's manifest. */
  readonly manifest: unknown;
  readonly files: readonly DeploymentFile[];
  readonly functions: readonly DeploymentFunction[];
  /** The edge rule set as written; missing if the project has none. */
  readonly rules?: unknown;
}

export type BuildOutcome =
  | { readonly type: "built"; readonly content: BuiltContent }
  /** `reason` is human-readable, becomes the deployment's `error`, and contains no secrets. */
  | { readonly type: "failed"; readonly reason: string }
  /** There was nothing to build. `reason` is human-readable. */
  | { readonly type: "skipped"; readonly reason: string }
  /** The signal was aborted, and all processes of the build have exited. */
  | { readonly type: "cancelled" };

/**
 * Runs commands in a checkout: either checks against a deployment's URL, or a migration, which does
 * not need a URL.
 */
export type RunInCheckout = (
  commands: readonly string[],
  place?: CheckPlace,
) => Promise<readonly CommandResult[]>;

/** Uses the output while the build's checkout still exists. */
export type UseBuilt = (content: BuiltContent, runCommands: RunInCheckout) => Promise<void>;

export interface BuildRunner {
  /**
   * Builds in a fresh checkout, which exists until `use` resolves. The returned promise resolves
   * when no process is left.
   */
  run(job: BuildJob, signal: AbortSignal, use?: UseBuilt): Promise<BuildOutcome>;
  /** Removes everything that a build has left behind, such as its log. */
  removeLeftovers(
    build: { readonly projectId: string; readonly deploymentId: string },
  ): Promise<void>;
  /** Removes the logs and caches of all builds of a project. */
  forgetProject(projectId: string): Promise<void>;
}
