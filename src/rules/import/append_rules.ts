/** @module Appends imported rules to a rules file and leaves its text unchanged. */
import { hasErrors } from "../../lib/diagnostic.ts";
import { parseRulesToml } from "../document/parse_rules.ts";
import { writeRulesToml } from "../document/write_rules.ts";
import { normalizeRule } from "../rule_set/normalize.ts";
import { type Rule, type RuleSet, SCHEMA_VERSION } from "../rule_set/types.ts";

export interface AppendedRules {
  /** The resulting rule set, which passes validation. */
  readonly ruleSet: RuleSet;
  readonly toml: string;
  /** Number of rules that were added. */
  readonly added: number;
  /** Number of rules that already existed. */
  readonly present: number;
}

const FIRST_RULE = "[[rules]]";

const same = (a: Rule, b: Rule): boolean =>
  JSON.stringify(normalizeRule(a)) === JSON.stringify(normalizeRule(b));

/** Returns the ID, or the first free ID among `id-2`, `id-3` and so on. */
function freeId(id: string, taken: ReadonlyMap<string, Rule>): string {
  let free = id;
  for (let count = 2; taken.has(free); count += 1) free = `${id}-${count}`;
  return free;
}

/** Returns the rules that do not exist yet, each with a unique ID. */
function newRules(known: readonly Rule[], rules: readonly Rule[]): readonly Rule[] {
  const taken = new Map(known.map((rule) => [rule.id, rule]));
  return rules.flatMap((rule) => {
    const there = taken.get(rule.id);
    if (there !== undefined && same(there, rule)) return [];
    const added = { ...rule, id: freeId(rule.id, taken) };
    taken.set(added.id, added);
    return [added];
  });
}

/**
 * Appends rules to the text of a rules file, or creates the text if there is none. Returns
 * `undefined` if nothing can be appended because the text is invalid or contains its rules as a
 * single list.
 */
export function appendRules(
  source: string | undefined,
  rules: readonly Rule[],
): AppendedRules | undefined {
  const before = source === undefined ? undefined : parseRulesToml(source);
  if (before !== undefined && before.ruleSet === undefined) return undefined;
  const known = before?.ruleSet?.rules ?? [];
  const added = newRules(known, rules);
  const written = writeRulesToml({ schemaVersion: SCHEMA_VERSION, rules: added });
  const toml = source === undefined
    ? written
    : added.length === 0
    ? source
    : `${source.trimEnd()}\n\n${written.slice(written.indexOf(FIRST_RULE))}`;
  const { ruleSet, diagnostics } = parseRulesToml(toml);
  const isWhole = ruleSet?.rules.length === known.length + added.length && !hasErrors(diagnostics);
  if (ruleSet === undefined || !isWhole) return undefined;
  return { ruleSet, toml, added: added.length, present: rules.length - added.length };
}
