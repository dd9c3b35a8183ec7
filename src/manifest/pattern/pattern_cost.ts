/**
 * Estimates the cost of a compiled pattern in the engine that serves it.
 *
 * @module
 */
import { RE2Set } from "re2js";

export type CostResult =
  | { readonly ok: true; readonly cost: number }
  | { readonly ok: false; readonly error: string };

/** Cost of reading a Unicode class such as `\pL`, whatever remains of it. */
const UNICODE_CLASS_COST = 100;

/**
 * Compiles a pattern with re2js and counts the steps and character ranges of
 * its program, and the Unicode classes that it is written with. An error is
 * the engine's own words.
 */
export function patternCost(pattern: string): CostResult {
  try {
    const set = new RE2Set();
    set.add(pattern);
    set.compile();
    const classes = pattern.match(/\\[pP]/g)?.length ?? 0;
    let cost = set.prog.numInst() + classes * UNICODE_CLASS_COST;
    for (let step = 0; step < set.prog.numInst(); step++) {
      cost += set.prog.getInst(step).runes.length >> 1;
    }
    return { ok: true, cost };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ok: false, error: error.message.replace(/^error parsing regexp: /, "") };
  }
}
