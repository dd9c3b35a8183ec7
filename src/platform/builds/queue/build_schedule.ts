/** Decides which build runs next. Pure. @module */

export interface ScheduledBuild {
  readonly id: string;
  readonly projectId: string;
  readonly workspaceId: string;
  readonly branch: string;
}

const count = <T>(items: Iterable<T>, keep: (item: T) => boolean): number => {
  let sum = 0;
  for (const item of items) if (keep(item)) sum++;
  return sum;
};

/**
 * Returns the waiting build whose workspace has the fewest running builds. In a tie, the project
 * with the fewest running builds comes first, and then the oldest build. Each branch builds one
 * commit at a time. `waiting` is sorted by age, oldest first.
 */
export function nextBuild<B extends ScheduledBuild>(
  waiting: readonly B[],
  running: readonly ScheduledBuild[],
): B | undefined {
  let best: B | undefined;
  let bestLoad: readonly [number, number] = [Infinity, Infinity];
  for (const build of waiting) {
    const { projectId, workspaceId, branch } = build;
    if (running.some((each) => each.projectId === projectId && each.branch === branch)) continue;
    const load = [
      count(running, (each) => each.workspaceId === workspaceId),
      count(running, (each) => each.projectId === projectId),
    ] as const;
    if (load[0] > bestLoad[0] || (load[0] === bestLoad[0] && load[1] >= bestLoad[1])) continue;
    [best, bestLoad] = [build, load];
    if (load[0] === 0) break;
  }
  return best;
}
