/**
 * The deployments that production shows and showed before, and the target of a rollback. Pure:
 * works on the list of deployments that were live, latest last.
 *
 * @module
 */
import type { PastDeployment } from "../../feed/mod.ts";

/** Maximum number of entries that a project remembers for rollbacks. */
const MAX_HISTORY = 100;

/** Notes that a deployment is live now; one that was live earlier keeps its earlier entries. */
export function withLive(history: readonly string[], id: string): string[] {
  return history.at(-1) === id ? [...history] : [...history, id].slice(-MAX_HISTORY);
}

/** Removes a deployment from the history; equal neighbours become one entry. */
export function withoutDeployment(history: readonly string[], id: string): string[] {
  return history
    .filter((each) => each !== id)
    .filter((each, index, kept) => each !== kept[index - 1]);
}

/** Maximum number of deployments that a project remembers for their open pages. */
const MAX_PAST = 100;

/**
 * The deployments that production showed before, the newest first, after one was replaced.
 * `replaced` is the one that was live, if any.
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

/** Removes a deployment from all that a project remembers of its production. */
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

export type RollbackPlan =
  | { readonly type: "go"; readonly undo: string; readonly to: string; readonly history: string[] }
  | { readonly type: "nothing_live" }
  | { readonly type: "not_live"; readonly live: string }
  | { readonly type: "no_earlier"; readonly live: string }
  | { readonly type: "already_live"; readonly live: string };

/**
 * Plans a rollback. `undo` is the deployment to undo, by default the live one;
 * `to` is the target, by default the one that was live before. Without `to` the
 * live one is removed from the history, so that the next rollback goes further
 * back. A named target is appended as by a deploy, so that the next rollback
 * undoes that choice.
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
