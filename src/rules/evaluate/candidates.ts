/**
 * @module The rules that can match a request, in the order of evaluation and without duplicates.
 */
import type { CompiledRule } from "../compile/compiled_rule.ts";
import type { RuleIndex } from "../compile/rule_index.ts";
import type { RequestFacts } from "../request/facts.ts";

/** Merges several lists that are each in the order of evaluation. */
class Candidates {
  readonly #lists: (readonly CompiledRule[])[] = [];
  readonly #cursors: number[] = [];
  #lastRank = -1;

  /** Removes all lists. */
  reset(): void {
    this.#lists.length = 0;
    this.#cursors.length = 0;
    this.#lastRank = -1;
  }

  readonly add = (rules: readonly CompiledRule[]): void => {
    this.#lists.push(rules);
    this.#cursors.push(0);
  };

  next(): CompiledRule | undefined {
    let best: CompiledRule | undefined;
    let from = -1;
    for (let list = 0; list < this.#lists.length; list++) {
      const rule = this.#head(list);
      if (rule !== undefined && (best === undefined || rule.rank < best.rank)) {
        best = rule;
        from = list;
      }
    }
    if (best === undefined) return undefined;
    this.#lastRank = best.rank;
    this.#cursors[from] = (this.#cursors[from] ?? 0) + 1;
    return best;
  }

  /** Returns the first rule of a list that has not been returned yet. */
  #head(list: number): CompiledRule | undefined {
    const rules = this.#lists[list];
    let cursor = this.#cursors[list] ?? 0;
    let rule = rules?.[cursor];
    while (rule !== undefined && rule.rank <= this.#lastRank) {
      cursor += 1;
      rule = rules?.[cursor];
    }
    this.#cursors[list] = cursor;
    return rule;
  }
}

/**
 * This object is used for all requests. It can be reused because nothing asynchronous happens
 * between the first candidate and the last.
 */
const candidates = new Candidates();

/** Returns the candidates for a request. They are valid until the next call. */
export function findCandidates(index: RuleIndex, facts: RequestFacts): Candidates {
  candidates.reset();
  index.visit(facts, candidates.add);
  return candidates;
}
