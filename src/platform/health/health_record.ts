/** A project's health, and how a check of the project's servers changes it. Pure. @module */
import * as z from "zod";
import type { ServersHealth } from "../compute/mod.ts";
import type { DeploymentRecord } from "../deployments/mod.ts";

/** Number of consecutive checks that must agree before a change is reported. */
const CHECKS_IN_A_ROW = 2;

/** The stored record, which is written only when it changes. */
export const healthRecord = z.object({
  state: z.enum(["healthy", "unhealthy"]),
  /** Time of the first check that found this state, in milliseconds since the epoch. */
  since: z.number(),
  reason: z.string().nullable(),
  deploymentId: z.string(),
  projectName: z.string(),
});
export type HealthRecord = z.infer<typeof healthRecord>;

/** Number of consecutive checks that disagree with the record. */
export interface UnconfirmedChange {
  readonly count: number;
  readonly since: number;
}

interface HealthStep {
  readonly record: HealthRecord;
  readonly unconfirmed: UnconfirmedChange | undefined;
  /** The change to report, if any. */
  readonly change: "failed" | "recovered" | undefined;
}

/** The deployment whose servers were checked. */
type CheckedDeployment = Pick<DeploymentRecord, "id" | "projectName">;

/** Applies a check of the servers. A project that has never been checked counts as healthy. */
export function weighHealth(
  known: {
    readonly record: HealthRecord | undefined;
    readonly unconfirmed: UnconfirmedChange | undefined;
  },
  look: { readonly health: ServersHealth; readonly owner: CheckedDeployment; readonly now: number },
): HealthStep {
  const { health, owner, now } = look;
  const { id: deploymentId, projectName } = owner;
  const shown = { deploymentId, projectName };
  const record = known.record ?? { state: "healthy", since: now, reason: null, ...shown };
  const found = health.state === "unhealthy" ? "unhealthy" : "healthy";
  if (found === record.state) return { record, unconfirmed: undefined, change: undefined };
  const unconfirmed = {
    count: (known.unconfirmed?.count ?? 0) + 1,
    since: known.unconfirmed?.since ?? now,
  };
  if (unconfirmed.count < CHECKS_IN_A_ROW) return { record, unconfirmed, change: undefined };
  const reason = health.state === "unhealthy" ? health.reason : null;
  return {
    record: { state: found, since: unconfirmed.since, reason, ...shown },
    unconfirmed: undefined,
    change: found === "unhealthy" ? "failed" : "recovered",
  };
}
