/** Decides which of a project's deployments to remove. Pure. @module */
import type { DeploymentRecord } from "../deployments/mod.ts";

export interface RetentionPolicy {
  /** Number of latest deployments to keep for each project, regardless of age. */
  readonly keepDeployments: number;
  /** Number of days for which to keep every deployment. */
  readonly keepDays: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export type JudgedDeployment = Pick<DeploymentRecord, "id" | "status" | "createdAt" | "updatedAt">;

interface RetentionFacts<D extends JudgedDeployment> {
  /** All deployments of the project. */
  readonly deployments: readonly D[];
  /** IDs of the deployments at a shared URL: that of production, a branch or a domain. */
  readonly shown: ReadonlySet<string>;
  /**
   * IDs of the deployments that were live in production, oldest first. A rollback can serve them
   * again.
   */
  readonly productionHistory: readonly string[];
}

type Kind = "unfinished" | "works" | "ended";

function kindOf({ status }: JudgedDeployment): Kind {
  switch (status) {
    case "PENDING":
    case "BUILDING":
    case "DEPLOYING":
      return "unfinished";
    case "LIVE":
    case "ROLLED_BACK":
      return "works";
    case "FAILED":
    case "STOPPED":
      return "ended";
  }
}

/**
 * Selects deployments that are neither recent nor among the latest. Failed and stopped deployments
 * are counted separately. Never selects unfinished deployments, those at shared URLs, or
 * production's latest ones.
 */
export function planRetention<D extends JudgedDeployment>(
  facts: RetentionFacts<D>,
  policy: RetentionPolicy,
  now: number,
): D[] {
  const { deployments, shown, productionHistory } = facts;
  const targets = new Set(productionHistory.slice(-Math.max(1, policy.keepDeployments)));
  const newestFirst = [...deployments].sort((a, b) => b.createdAt - a.createdAt);
  const seen: Record<Kind, number> = { "unfinished": 0, works: 0, ended: 0 };
  return newestFirst.filter((deployment) => {
    const kind = kindOf(deployment);
    const isLate = ++seen[kind] > policy.keepDeployments;
    const isOld = now - deployment.updatedAt > policy.keepDays * DAY_MS;
    const isNeeded = kind === "unfinished" || shown.has(deployment.id) ||
      targets.has(deployment.id);
    return isLate && isOld && !isNeeded;
  });
}
