/**
 * Which deployment production shows, and which one comes back on a rollback.
 * Pure: works on the list of deployments that were live, the latest last.
 *
 * @module
 */

/** Most deployments that a project remembers for rollbacks. */
const MAX_HISTORY = 100;

/** Puts a deployment on top. */
export function promote(history: readonly string[], id: string): string[] {
  return [...history.filter((each) => each !== id), id].slice(-MAX_HISTORY);
}

export type RollbackPlan =
  | { readonly type: "go"; readonly undo: string; readonly to: string; readonly history: string[] }
  | { readonly type: "nothing_live" }
  | { readonly type: "not_live"; readonly live: string }
  | { readonly type: "no_earlier"; readonly live: string }
  | { readonly type: "already_live"; readonly live: string };

/**
 * Plans a rollback. `undo` is the deployment to undo, the live one where
 * missing; `to` names the target, the one that was live before where missing.
 * A target from the history takes everything after it off the history.
 */
export function planRollback(
  history: readonly string[],
  wanted: { readonly undo?: string | undefined; readonly to?: string | undefined },
): RollbackPlan {
  const live = history.at(-1);
  if (live === undefined) return { type: "nothing_live" };
  if (wanted.undo !== undefined && wanted.undo !== live) return { type: "not_live", live };
  const earlier = history.slice(0, -1);
  const to = wanted.to ?? earlier.at(-1);
  if (to === undefined) return { type: "no_earlier", live };
  if (to === live) return { type: "already_live", live };
  const place = earlier.indexOf(to);
  const next = place === -1 ? promote(earlier, to) : earlier.slice(0, place + 1);
  return { type: "go", undo: live, to, history: next };
}
