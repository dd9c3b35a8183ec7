/**
 * A build from git: its record, what may begin beside it, and its form on the
 * wire. Pure.
 *
 * @module
 */
import { z } from "zod";
import { type Build, BUILD_STATES, type DeploymentState } from "../../contract/mod.ts";

export const buildRecord = z.object({
  /** The id of the deployment that it is for. */
  id: z.string(),
  projectId: z.string(),
  workspaceId: z.string(),
  branch: z.string(),
  commitSha: z.string(),
  environment: z.string(),
  state: z.enum(BUILD_STATES),
  /** Orders the queue: a smaller one is older. */
  place: z.number(),
  /** How often a worker began with it. */
  attempts: z.number(),
  error: z.string().nullable(),
  queuedAt: z.number(),
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
});
export type BuildRecord = z.infer<typeof buildRecord>;

/** True while a build waits or runs. */
export function isUnderWay(build: Pick<BuildRecord, "state">): boolean {
  return build.state === "QUEUED" || build.state === "RUNNING";
}

/** What is under way for one branch of a project. */
export const branchBuilds = z.object({
  active: z.array(z.object({ id: z.string(), commitSha: z.string() })),
});
export type BranchBuilds = z.infer<typeof branchBuilds>;

export type Admission =
  | { readonly type: "create" }
  /** The same commit is deployed there, or is about to be. */
  | { readonly type: "identical"; readonly id: string }
  /** Another commit of the branch is being built. */
  | { readonly type: "busy"; readonly id: string; readonly commitSha: string };

/** States in which a deployment stands for its commit: asking again changes nothing. */
export function standsForCommit(status: DeploymentState): boolean {
  return status !== "FAILED" && status !== "STOPPED";
}

/**
 * Decides on a new build. Identical is the same project, branch, environment
 * and full SHA, neither failed nor stopped; `force` builds all the same, but
 * not beside another commit of the branch.
 */
export function admit(
  facts: {
    readonly active: BranchBuilds["active"];
    readonly identical: { readonly id: string; readonly status: DeploymentState } | undefined;
  },
  wanted: { readonly commitSha: string; readonly force: boolean },
): Admission {
  const { active, identical } = facts;
  if (!wanted.force && identical !== undefined && standsForCommit(identical.status)) {
    return { type: "identical", id: identical.id };
  }
  const other = active.find(({ commitSha }) => commitSha !== wanted.commitSha);
  return other === undefined ? { type: "create" } : { type: "busy", ...other };
}

export function buildToWire(
  build: BuildRecord,
  facts: { readonly project: string; readonly ahead: number | null },
): Build {
  const { workspaceId: _, place: __, attempts: ___, ...shown } = build;
  const time = (moment: number) => new Date(moment).toISOString();
  const timeOrNull = (moment: number | null) => moment === null ? null : time(moment);
  return {
    ...shown,
    ...facts,
    queuedAt: time(build.queuedAt),
    startedAt: timeOrNull(build.startedAt),
    finishedAt: timeOrNull(build.finishedAt),
  };
}
