/** Commits waiting changes in groups. @module */
import type { Changes, Failed, Outcome, PgRecordStore, RecordStore } from "../../../store/mod.ts";
import {
  BATCH_LIMITS,
  type Footprint,
  type GroupLimits,
  takeBatch,
  takeGroup,
} from "./commit_group.ts";

export interface Waiting extends Changes {
  readonly footprint: Footprint;
}

export interface GroupCommitter {
  /** Selects the commits for the next transaction. The remaining commits keep their order. */
  take<T extends Waiting>(waiting: readonly T[]): {
    readonly group: readonly T[];
    readonly rest: T[];
  };
  commit(group: readonly Changes[]): Promise<readonly (Outcome | Failed)[]>;
}

/**
 * Creates a committer for Deno KV, whose transactions are all or nothing. After a failed check, it
 * commits each half of the group separately. An error fails every commit in the transaction.
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

/**
 * Creates a committer for PostgreSQL. It sends a group of commits in one call, and the server runs
 * them one after the other.
 */
export function batchingCommitter(store: PgRecordStore): GroupCommitter {
  return {
    take: (waiting) => takeBatch(waiting, BATCH_LIMITS),
    commit: (group) => store.writeAll(group),
  };
}
