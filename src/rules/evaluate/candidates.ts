/**
 * The rules that may match a request, from all lists of the index, in the order
 * of evaluation and each once.
 *
 * @module
 */
import type { CompiledRule } from "../compile/compiled_rule.ts";
import type { RuleIndex } from "../compile/rule_index.ts";
import type { RequestFacts } from "../facts.ts";

export class Candidates {
  private readonly lists: (readonly CompiledRule[])[] = [];
  private readonly cursors: number[] = [];
  private lastRank = -1;

  constructor(index: RuleIndex, facts: RequestFacts) {
    index.visit(facts, (rules) => {
      this.lists.push(rules);
      this.cursors.push(0);
    });
  }

  next(): CompiledRule | undefined {
    let best: CompiledRule | undefined;
    let from = -1;
    for (let list = 0; list < this.lists.length; list++) {
      const rule = this.head(list);
      if (rule !== undefined && (best === undefined || rule.rank < best.rank)) {
        best = rule;
        from = list;
      }
    }
    if (best === undefined) return undefined;
    this.lastRank = best.rank;
    this.cursors[from] = (this.cursors[from] ?? 0) + 1;
    return best;
  }

  /** The first rule of a list that has not been handed out. */
  private head(list: number): CompiledRule | undefined {
    const rules = this.lists[list];
    let cursor = this.cursors[list] ?? 0;
    let rule = rules?.[cursor];
    while (rule !== undefined && rule.rank <= this.lastRank) {
      cursor += 1;
      rule = rules?.[cursor];
    }
    this.cursors[list] = cursor;
    return rule;
  }
}
