/**
 * From the text of `svc.rules.toml`, or JSON from the API, to a rule set that
 * keeps every rule of the spec, or to all the reasons why it does not.
 *
 * @module
 */
import { type Diagnostic, hasErrors } from "../lib/diagnostic.ts";
import { parseToml, type TomlDocument } from "../lib/toml.ts";
import { type Finding, toDiagnostics } from "./finding.ts";
import { MAX_DEPTH, MAX_RULES_BYTES } from "./limits.ts";
import { normalizeRule, normalizeRules } from "./normalize.ts";
import { readRules } from "./read_rules.ts";
import type { RuleSet, RuntimeRuleSet } from "./types.ts";
import { checkGates, type PlacedRule } from "./validate/gates.ts";
import { checkUniqueIds } from "./validate/unique_ids.ts";
import { checkRule } from "./validate/validate_rules.ts";
import { warnRedirectLoops } from "./warnings/redirect_loops.ts";
import { warnUnreachable } from "./warnings/unreachable.ts";
import { warnRule } from "./warnings/warn_rules.ts";

/** A rule set without errors, or none; the diagnostics may hold warnings in both cases. */
export interface ParsedRules {
  readonly ruleSet?: RuleSet;
  readonly diagnostics: readonly Diagnostic[];
}

/** A rule set as authored and as the edge runs it; neither where there are errors. */
export interface LoadedRules extends ParsedRules {
  readonly runtime?: RuntimeRuleSet;
}

function findAll(value: unknown): readonly Finding[] {
  const { findings: shape, rules } = readRules(value);
  const findings: Finding[] = [...shape, ...checkUniqueIds(rules)];
  const sound: PlacedRule[] = [];
  for (const checked of rules) {
    const errors = [...checkRule(checked)];
    findings.push(...errors, ...warnRule(checked));
    if (errors.length === 0 && checked.complete) {
      sound.push({ index: checked.index, rule: normalizeRule(checked.rule) });
    }
  }
  findings.push(...checkGates(sound), ...warnUnreachable(sound), ...warnRedirectLoops(sound));
  return findings;
}

function parse(value: unknown, document?: TomlDocument): ParsedRules {
  const diagnostics = toDiagnostics(findAll(value), {
    ruleSet: value,
    ...(document === undefined ? {} : { document }),
  });
  return hasErrors(diagnostics) ? { diagnostics } : { ruleSet: value as RuleSet, diagnostics };
}

/**
 * Parses and validates the text of a `svc.rules.toml`. Every problem has its
 * line and column; a byte order mark is passed over. Bounded by `MAX_RULES_BYTES`, `MAX_RULES` and `MAX_DEPTH`;
 * nothing is thrown for bad text.
 */
export function parseRulesToml(source: string): ParsedRules {
  const text = source.replace(/^\uFEFF/, "");
  const result = parseToml(text, { maxBytes: MAX_RULES_BYTES, maxDepth: MAX_DEPTH });
  return result.ok
    ? parse(result.document.value, result.document)
    : { diagnostics: result.diagnostics };
}

/** Validates a rule set that came as plain data, such as JSON; without positions. */
export function parseRulesValue(value: unknown): ParsedRules {
  return parse(value);
}

function withRuntime(parsed: ParsedRules): LoadedRules {
  return parsed.ruleSet === undefined
    ? parsed
    : { ...parsed, runtime: normalizeRules(parsed.ruleSet) };
}

/** Parses, validates and normalizes the text of a `svc.rules.toml`. */
export function loadRulesToml(source: string): LoadedRules {
  return withRuntime(parseRulesToml(source));
}

/** Validates and normalizes a rule set that came as plain data. */
export function loadRulesValue(value: unknown): LoadedRules {
  return withRuntime(parseRulesValue(value));
}
