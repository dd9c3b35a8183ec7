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
import { checkSurroundings, type Surroundings } from "./surroundings.ts";
import type { RuleSet, RuntimeRuleSet } from "./types.ts";
import { checkGates, type PlacedRule } from "./validate/gates.ts";
import { checkUniqueIds } from "./validate/unique_ids.ts";
import { checkRule } from "./validate/validate_rules.ts";
import { warnFolderPages } from "./warnings/folder_page.ts";
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

function findAll(value: unknown, surroundings: Surroundings): readonly Finding[] {
  const { findings: shape, rules } = readRules(value);
  const findings: Finding[] = [...shape, ...checkUniqueIds(rules)];
  const sound: PlacedRule[] = [];
  for (const checked of rules) {
    const errors = [...checkRule(checked)];
    findings.push(...errors, ...warnRule(checked), ...checkSurroundings(checked, surroundings));
    if (errors.length === 0 && checked.complete) {
      sound.push({ index: checked.index, rule: normalizeRule(checked.rule) });
    }
  }
  findings.push(
    ...checkGates(sound),
    ...warnUnreachable(sound),
    ...warnRedirectLoops(sound),
    ...warnFolderPages(sound),
  );
  return findings;
}

function parse(
  value: unknown,
  surroundings: Surroundings,
  document?: TomlDocument,
): ParsedRules {
  const diagnostics = toDiagnostics(findAll(value, surroundings), {
    ruleSet: value,
    ...(document === undefined ? {} : { document }),
  });
  return hasErrors(diagnostics) ? { diagnostics } : { ruleSet: value as RuleSet, diagnostics };
}

/**
 * Parses and validates the text of a `svc.rules.toml`. Every problem has its
 * line and column; a byte order mark is passed over. What the rules need of the
 * place where they run is checked as far as `surroundings` are known. Bounded by `MAX_RULES_BYTES`, `MAX_RULES` and `MAX_DEPTH`;
 * nothing is thrown for bad text.
 */
export function parseRulesToml(source: string, surroundings: Surroundings = {}): ParsedRules {
  const text = source.replace(/^\uFEFF/, "");
  const result = parseToml(text, { maxBytes: MAX_RULES_BYTES, maxDepth: MAX_DEPTH });
  return result.ok
    ? parse(result.document.value, surroundings, result.document)
    : { diagnostics: result.diagnostics };
}

/** Validates a rule set that came as plain data, such as JSON; without positions. */
export function parseRulesValue(value: unknown, surroundings: Surroundings = {}): ParsedRules {
  return parse(value, surroundings);
}

function withRuntime(parsed: ParsedRules): LoadedRules {
  return parsed.ruleSet === undefined
    ? parsed
    : { ...parsed, runtime: normalizeRules(parsed.ruleSet) };
}

/** Parses, validates and normalizes the text of a `svc.rules.toml`. */
export function loadRulesToml(source: string, surroundings: Surroundings = {}): LoadedRules {
  return withRuntime(parseRulesToml(source, surroundings));
}

/** Validates and normalizes a rule set that came as plain data. */
export function loadRulesValue(value: unknown, surroundings: Surroundings = {}): LoadedRules {
  return withRuntime(parseRulesValue(value, surroundings));
}
