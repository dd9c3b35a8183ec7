/** @module Helpers for conditions on several named values: headers, query parameters, cookies. */
import type { RequestFacts } from "../request/facts.ts";
import type { CandidateIndex, ConditionType, FieldMismatch } from "./condition_type.ts";
import { appendTo } from "./lists.ts";

type NamedValues = Readonly<Record<string, string>>;

/** Reads the values of one name from a request. */
interface NamedFacts {
  /** Returns the actual values, for explanations. */
  seen(facts: RequestFacts, name: string): readonly string[];
  /** Returns every value with which a condition on the name could match this request. */
  candidates(facts: RequestFacts, name: string): readonly string[];
  holds(facts: RequestFacts, name: string, value: string): boolean;
}

/** Compiles a test of all named values. */
function compileNamed(
  wanted: NamedValues,
  { holds }: NamedFacts,
): (facts: RequestFacts) => boolean {
  const pairs = Object.entries(wanted);
  return (facts) => pairs.every(([name, value]) => holds(facts, name, value));
}

/** Names the value that does not match. */
function explainNamed(
  wanted: NamedValues,
  facts: RequestFacts,
  { holds, seen }: NamedFacts,
): FieldMismatch {
  const [name, value] = Object.entries(wanted).find((pair) => !holds(facts, ...pair)) ?? ["", ""];
  const found = seen(facts, name);
  return {
    name,
    wanted: JSON.stringify(value),
    seen: found.length === 0 ? "absent" : found.map((text) => JSON.stringify(text)).join(", "),
  };
}

/** Returns true if `inner` requires everything that `outer` requires. */
function namedContain(outer: NamedValues, inner: NamedValues | undefined): boolean {
  return Object.entries(outer).every(([name, value]) =>
    inner !== undefined && Object.hasOwn(inner, name) && inner[name] === value
  );
}

/** Creates an index by the first named value. */
function createNamedIndex<T>({ candidates }: NamedFacts): CandidateIndex<NamedValues, T> {
  const byName = new Map<string, Map<string, T[]>>();
  return {
    add(wanted, item) {
      const [first] = Object.entries(wanted);
      if (first === undefined) return false;
      const [name, value] = first;
      const lists = byName.get(name) ?? new Map<string, T[]>();
      byName.set(name, lists);
      appendTo(lists, value, item);
      return true;
    },
    visit(facts, take) {
      for (const [name, lists] of byName) {
        for (const value of new Set(candidates(facts, name))) {
          const list = lists.get(value);
          if (list !== undefined) take(list);
        }
      }
    },
  };
}

type Named = ConditionType<NamedValues, NamedValues>;

/** Creates a condition on a request's named values, which `facts` reads. */
export function namedCondition(
  facts: NamedFacts,
  { selectivity, ...own }:
    & Pick<Named, "schema" | "cost" | "isClientBound" | "vary" | "sample">
    & Partial<Pick<Named, "check" | "normalize">>
    & { readonly selectivity: number },
): Named {
  return {
    normalize: (value) => ({ ...value }),
    ...own,
    compile: (value) => compileNamed(value, facts),
    explain: (value, seen) => explainNamed(value, seen, facts),
    contains: namedContain,
    // A name can occur several times, with different values.
    disjoint: () => false,
    index: { selectivity, create: () => createNamedIndex(facts) },
  };
}
