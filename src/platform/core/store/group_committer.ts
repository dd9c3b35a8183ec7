/**
 * How stores commit what waits at the same time.
 *
 * @module
 */
import type { Changes, Failed, Outcome, PgRecordStore, RecordStore } from "../../../store/mod.ts";
import {
  BATCH_LIMITS,
  type Footprint,
  type GroupLimits,
  takeBatch,
  takeGroup,
} from "./commit_group.ts";

/** A commit that waits. */
export interface Waiting extends Changes {
  readonly footprint: Footprint;
}

export interface GroupCommitter {
  /** Takes what is committed next; the rest stays in order. */
  take<T extends Waiting>(waiting: readonly T[]): {
    readonly group: readonly T[];
    readonly rest: T[];
  };
  /** Commits a group; each has its own outcome. */
  commit(group: readonly Changes[]): Promise<readonly (Outcome | Failed)[]>;
}

/**
 * For Deno KV, whose transactions succeed or fail completely: commits that touch different keys
 * share one, and have the same version. If a check fails, the halves of a group are committed
 * separately, until the failing commit is isolated. An error affects all.
 */
export function sharingCommitter(store: RecordStore, limits: GroupLimits): GroupCommitter {
  const commit = async (group: readonly Changes[]): Promise<readonly (Outcome | Failed)[]> => {
    let outcome: Outcome;
    try {
      outcome = await store.write({
        checks: group.flatMap(({ checks }) => checks),
        mutations: group.flatMap(({ mutations }) => mutations),
      });
    } catch (failure) {
      return group.map(() => ({ failure }));
    }
    if (outcome.ok || group.length === 1) return group.map(() => outcome);
    const middle = group.length >> 1;
    return [...await commit(group.slice(0, middle)), ...await commit(group.slice(middle))];
  };
  return { take: (waiting) => takeGroup(waiting, limits), commit };
}

/** For PostgreSQL, where one call commits changes one after the other. */
export function batchingCommitter(store: PgRecordStore): GroupCommitter {
  return {
    take: (waiting) => takeBatch(waiting, BATCH_LIMITS),
    commit: (group) => store.writeAll(group),
  };
}
