/** The deployments that were live, in chronological order, and the target of a rollback. @module */
import { Failure } from "../core/http/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import type { PastDeployment } from "../../feed/mod.ts";

/** Maximum number of entries that a project remembers for rollbacks. */
const MAX_HISTORY = 100;

/** Records that a deployment is live now. Earlier entries for the same deployment remain. */
export function withLive(history: readonly string[], id: string): string[] {
  return history.at(-1) === id ? [...history] : [...history, id].slice(-MAX_HISTORY);
}

/** Removes a deployment from the history. Merges equal entries that have become adjacent. */
export function withoutDeployment(history: readonly string[], id: string): string[] {
  return history
    .filter((each) => each !== id)
    .filter((each, index, kept) => each !== kept[index - 1]);
}

/** Maximum number of deployments that a project remembers because their pages may still be open. */
const MAX_PAST = 100;

/**
 * Returns the deployments that were live in production before, newest first. `replaced` was live
 * until now.
 */
export function withReplaced(
  past: readonly PastDeployment[] = [],
  { replaced, live, now }: {
    readonly replaced: string | undefined;
    readonly live: string;
    readonly now: number;
  },
): PastDeployment[] {
  const others = past.filter(({ id }) => id !== replaced && id !== live);
  if (replaced === undefined || replaced === live) return others;
  return [{ id: replaced, until: now }, ...others].slice(0, MAX_PAST);
}

/** Removes a deployment from a project's production history. */
export function forgetDeployment<
  P extends {
    readonly productionHistory: readonly string[];
    readonly productionPast?: readonly PastDeployment[] | undefined;
  },
>(project: P, id: string): P & { productionHistory: string[]; productionPast: PastDeployment[] } {
  return {
    ...project,
    productionHistory: withoutDeployment(project.productionHistory, id),
    productionPast: (project.productionPast ?? []).filter((each) => each.id !== id),
  };
}

type RollbackPlan =
  | { readonly type: "go"; readonly undo: string; readonly to: string; readonly history: string[] }
  | { readonly type: "nothing_live" }
  | { readonly type: "not_live"; readonly live: string }
  | { readonly type: "no_earlier"; readonly live: string }
  | { readonly type: "already_live"; readonly live: string };

/**
 * Plans a rollback from `undo` (default: the live deployment) to `to` (default: the one before it).
 * Without `to`, repeated rollbacks go further back. After a rollback with `to`, a rollback without
 * `to` undoes it.
 */
export function planRollback(
  history: readonly string[],
  wanted: { readonly undo?: string | undefined; readonly to?: string | undefined },
): RollbackPlan {
  const live = history.at(-1);
  if (live === undefined) return { type: "nothing_live" };
  if (wanted.undo !== undefined && wanted.undo !== live) return { type: "not_live", live };
  if (wanted.to === live) return { type: "already_live", live };
  if (wanted.to !== undefined) {
    return { type: "go", undo: live, to: wanted.to, history: withLive(history, wanted.to) };
  }
  const earlier = history.slice(0, -1);
  const to = earlier.at(-1);
  return to === undefined
    ? { type: "no_earlier", live }
    : { type: "go", undo: live, to, history: earlier };
}

/** Like {@link planRollback}, but rejects an impossible rollback. @throws {Failure} `conflict` */
export function requireRollback(
  project: ProjectRecord,
  wanted: { readonly undo?: string | undefined; readonly to?: string | undefined },
) {
  const plan = planRollback(project.productionHistory, wanted);
  switch (plan.type) {
    case "nothing_live":
      throw new Failure(
        "conflict",
        `Project "${project.name}" has no production deployment to roll back`,
      );
    case "not_live":
      throw new Failure(
        "conflict",
        `Deployment ${wanted.undo} is not live in production: ${plan.live} is`,
      );
    case "no_earlier":
      throw new Failure("conflict", "There is no earlier deployment to roll back to");
    case "already_live":
      throw new Failure("conflict", `Deployment ${plan.live} is already live`);
  }
  return plan;
}
