/** @module The result of an import. Lines whose rules fail validation are reported. */
import { MAX_RULES } from "../limits.ts";
import { parseRulesValue } from "../document/parse_rules.ts";
import { writeRulesToml } from "../document/write_rules.ts";
import type { PageSettings } from "./page_settings.ts";
import { type Rule, type RuleSet, SCHEMA_VERSION } from "../rule_set/types.ts";

/** A line of the imported file with a remark. */
interface UnsupportedLine {
  /** The line number, starting at 1. */
  readonly line: number;
  readonly text: string;
  readonly reason: string;
}

export interface ImportResult {
  /** The imported rule set, which passes validation. */
  readonly ruleSet: RuleSet;
  /** The rule set as `svc.rules.toml`. */
  readonly toml: string;
  /** Number of entries in the file, both imported and unsupported. */
  readonly read: number;
  /** Number of entries that became rules or settings. */
  readonly imported: number;
  /** Entries that were skipped, each with its reason. */
  readonly unsupported: readonly UnsupportedLine[];
  /** Settings for `[static]` in `svc.toml`; counted as imported. */
  readonly settings: PageSettings;
  /** Entries that were imported but behave slightly differently here. */
  readonly notes: readonly UnsupportedLine[];
}

/** Thrown if the file does not have the expected format. Nothing was imported. */
export class UnreadableImportError extends Error {
  override readonly name = "UnreadableImportError";
}

/** The host that the file was written for. */
export type ImportFlavor = "netlify" | "cloudflare";

export interface ImportOptions {
  /** `netlify` by default. */
  readonly flavor?: ImportFlavor;
}

export interface SourceLine {
  readonly line: number;
  readonly text: string;
}

/** Thrown for a line that has no equivalent. The message is the reason. */
export class NoEquivalent extends Error {
  override readonly name = "NoEquivalent";
}

/** Collects the rules, and the lines that have no equivalent. */
export class ImportCollector {
  readonly #rules: Rule[] = [];
  readonly #unsupported: UnsupportedLine[] = [];
  readonly #notes: UnsupportedLine[] = [];
  #settings: PageSettings = {};
  #imported = 0;

  readonly #arrange: (rules: readonly Rule[]) => readonly Rule[];

  /** `arrange` puts all rules of the file in order. */
  constructor(arrange: (rules: readonly Rule[]) => readonly Rule[] = (all) => all) {
    this.#arrange = arrange;
  }

  /**
   * Adds all rules that `convert` creates from a line, or none of them, and returns the added
   * rules.
   */
  take(source: SourceLine, convert: () => readonly Rule[]): readonly Rule[] {
    try {
      const rules = convert();
      const { diagnostics } = parseRulesValue({ schemaVersion: SCHEMA_VERSION, rules });
      const error = diagnostics.find((one) => one.severity === "error");
      if (error !== undefined) throw new NoEquivalent(error.message);
      if (this.#rules.length + rules.length > MAX_RULES) {
        throw new NoEquivalent(`A rule set has at most ${MAX_RULES} rules`);
      }
      this.#rules.push(...rules);
      return rules;
    } catch (error) {
      if (!(error instanceof NoEquivalent)) throw error;
      this.refuse(source, error.message);
      return [];
    }
  }

  /** Reports a line that has no equivalent. */
  refuse(source: SourceLine, reason: string): void {
    this.#unsupported.push({ line: source.line, text: source.text.trim(), reason });
  }

  /** Adds an entry that is a setting. */
  set(settings: PageSettings): void {
    this.#settings = { ...this.#settings, ...settings };
    this.count();
  }

  /** Counts entries that became rules or parts of a rule. */
  count(entries = 1): void {
    this.#imported += entries;
  }

  /** Records how an imported line behaves differently here. */
  note(source: SourceLine, reason: string): void {
    this.#notes.push({ line: source.line, text: source.text.trim(), reason });
  }

  result(): ImportResult {
    const imported = this.#imported;
    const unsupported = this.#unsupported;
    const notes = this.#notes;
    const ruleSet: RuleSet = { schemaVersion: SCHEMA_VERSION, rules: this.#arrange(this.#rules) };
    return {
      ruleSet,
      toml: writeRulesToml(ruleSet),
      read: imported + unsupported.length,
      imported,
      unsupported,
      settings: this.#settings,
      notes,
    };
  }
}
