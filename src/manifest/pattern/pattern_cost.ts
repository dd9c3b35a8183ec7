/**
 * What a pattern costs once compiled, by the engine that serves it.
 *
 * @module
 */
import { RE2Set } from "re2js";

export type CostResult =
  | { readonly ok: true; readonly cost: number }
  | { readonly ok: false; readonly error: string };

/**
 * Compiles a pattern with re2js and counts the steps and character ranges of
 * its program. An error is the engine's own words.
 */
export function patternCost(pattern: string): CostResult {
  try {
    const set = new RE2Set();
    set.add(pattern);
    set.compile();
    let cost = set.prog.numInst();
    for (let step = 0; step < set.prog.numInst(); step++) {
      cost += set.prog.getInst(step).runes.length >> 1;
    }
    return { ok: true, cost };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ok: false, error: error.message.replace(/^error parsing regexp: /, "") };
  }
}
