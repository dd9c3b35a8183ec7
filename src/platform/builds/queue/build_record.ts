/**
 * A git build: its record and wire format, and whether it can run alongside other builds. Pure.
 * @module
 */
import * as z from "zod";
import { type Build, BUILD_STATES } from "../../../contract/builds.ts";
import { type DeploymentState, isDeploymentUnderWay } from "../../../contract/deployments.ts";

export const buildRecord = z.object({
  /** The ID of the build's deployment. */
  id: z.string(),
  projectId: z.string(),
  workspaceId: z.string(),
  branch: z.string(),
  commitSha: z.string(),
  environment: z.string(),
  state: z.enum(BUILD_STATES),
  /** The build's position in the queue. Older builds have smaller positions. */
  place: z.number(),
  /** How many times a worker has started the build. */
  attempts: z.number(),
  /** The process that runs or last ran the build; missing in older records. */
  runner: z.string().nullable().optional(),
  /** The name of that process's node. */
  node: z.string().nullable().optional(),
  /** Whether the commit is built even if nothing has changed. */
  forced: z.boolean().optional(),
  error: z.string().nullable(),
  queuedAt: z.number(),
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
});
export type BuildRecord = z.infer<typeof buildRecord>;

export function isUnderWay(build: Pick<BuildRecord, "state">): boolean {
  return build.state === "QUEUED" || build.state === "RUNNING";
}

/** The waiting and running builds for a project's branch. */
export const branchBuilds = z.object({
  active: z.array(z.object({ id: z.string(), commitSha: z.string() })),
});
export type BranchBuilds = z.infer<typeof branchBuilds>;

export type Admission =
  | { readonly type: "create" }
  /** The same commit is already live or being built. */
  | { readonly type: "identical"; readonly id: string }
  /** Another commit on the branch is being built. */
  | { readonly type: "busy"; readonly id: string; readonly commitSha: string };

/** The latest deployment of the same commit on the same branch and environment. */
export interface KnownCommit {
  readonly id: string;
  readonly status: DeploymentState;
  /** Whether the production or branch URL serves the deployment. */
  readonly isShown: boolean;
}

/**
 * Decides whether to build a commit, which is not built if it is live or being built. `force`
 * builds it anyway, but not alongside another commit on the branch.
 */
export function admit(
  facts: {
    readonly active: BranchBuilds["active"];
    readonly known: KnownCommit | undefined;
  },
  wanted: { readonly commitSha: string; readonly force: boolean },
): Admission {
  const { active, known } = facts;
  if (!wanted.force && known !== undefined) {
    const isLive = known.status === "LIVE" && known.isShown;
    if (isLive || isDeploymentUnderWay(known.status)) return { type: "identical", id: known.id };
  }
  const other = active.find(({ commitSha }) => commitSha !== wanted.commitSha);
  return other === undefined ? { type: "create" } : { type: "busy", ...other };
}

export function buildToWire(
  build: BuildRecord,
  facts: { readonly project: string; readonly ahead: number | null },
): Build {
  const {
    workspaceId: _,
    place: __,
    attempts: ___,
    runner: ____,
    node: _____,
    forced: ______,
    ...shown
  } = build;
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
