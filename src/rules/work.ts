/**
 * @module Measures work on a rule set, so the work can be interrupted often enough for other
 * requests. The unit of work is a value: a table, list, string or number.
 */
import { Pace, type Steps } from "../lib/next_turn.ts";
import type { Finding } from "./finding.ts";

/** Number of values to handle between two interruptions, about a hundred rules. */
const VALUES_PER_STEP = 1_000;

/** Cost of finding that two rules need no comparison. */
export const VISIT_COST = 1 / 16;

/** Minimum cost of looking at a rule, even if little is done with it. */
export const LOOK_COST = 2;

/** Number of pairs of values that can be compared in the time it takes to check one value. */
const PAIRS_PER_VALUE = 128;

/** Starts measuring work on one rule set, over all passes. */
export function startPace(): Pace {
  return new Pace(VALUES_PER_STEP);
}

/** Returns the number of values in some data, including the data itself. */
export function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const child of Object.values(value)) count += countValues(child);
  return count;
}

/** Returns the cost of comparing two conditions with `a` and `b` values. */
export function comparisonCost(a: number, b: number): number {
  return 1 + a * b / PAIRS_PER_VALUE;
}

/** A search that yields findings, and `undefined` where it may be interrupted. */
export type FindingSteps = Generator<Finding | void, void, void>;

/** Collects the findings of a search, and can be interrupted wherever the search can. */
export function* collect(search: FindingSteps, findings: Finding[]): Steps<void> {
  for (const finding of search) {
    if (finding) findings.push(finding);
    else yield;
  }
}
