/**
 * How stores commit what waits at the same time.
 *
 * @module
 */
import type { PgKv, PgOperation } from "../../../store/mod.ts";
import { BATCH_LIMITS, type GroupLimits, takeBatch, takeGroup } from "./commit_group.ts";
import type { Committed, Recorded } from "./recorded_operation.ts";

/** What became of a commit, or what was thrown. */
export type Outcome = Committed | { readonly failure: unknown };

export interface GroupCommitter {
  /** Takes what is committed next; the rest stays in order. */
  take<T extends Recorded>(waiting: readonly T[]): {
    readonly group: readonly T[];
    readonly rest: T[];
  };
  /** Commits a group; each has its own outcome. */
  commit(group: readonly Recorded[]): Promise<readonly Outcome[]>;
}

/**
 * For Deno KV, whose transactions succeed or fail as a whole: commits that touch different
 * keys share one, and have the same version. If a check fails, the halves of a group are
 * committed on their own, until the one whose check it is stands alone. An error concerns
 * all.
 */
export function sharingCommitter(kv: Deno.Kv, limits: GroupLimits): GroupCommitter {
  const commit = async (group: readonly Recorded[]): Promise<readonly Outcome[]> => {
    let committed: Committed;
    try {
      const operation = kv.atomic();
      for (const { replay } of group) replay(operation);
      committed = await operation.commit();
    } catch (failure) {
      return group.map(() => ({ failure }));
    }
    if (committed.ok || group.length === 1) return group.map(() => committed);
    const middle = group.length >> 1;
    return [...await commit(group.slice(0, middle)), ...await commit(group.slice(middle))];
  };
  return { take: (waiting) => takeGroup(waiting, limits), commit };
}

/** For PostgreSQL, where one call commits operations one after the other. */
export function batchingCommitter(kv: PgKv): GroupCommitter {
  return {
    take: (waiting) => takeBatch(waiting, BATCH_LIMITS),
    async commit(group) {
      const prepared = group.map((recorded) => prepare(kv, recorded));
      const operations = prepared.filter((each): each is PgOperation => !("failure" in each));
      let outcomes: readonly (Committed | TypeError)[];
      try {
        outcomes = operations.length === 0 ? [] : await kv.commitAll(operations);
      } catch (failure) {
        return group.map(() => ({ failure }));
      }
      let next = 0;
      return prepared.map((each) => {
        if ("failure" in each) return each;
        const outcome = outcomes[next++]!;
        return outcome instanceof TypeError ? { failure: outcome } : outcome;
      });
    },
  };
}

/** The operation, or why it cannot be committed. */
function prepare(
  kv: PgKv,
  { replay }: Recorded,
): PgOperation | { readonly failure: unknown } {
  const operation = kv.atomic();
  try {
    replay(operation);
    operation.checkSize();
    return operation;
  } catch (failure) {
    return { failure };
  }
}
