/**
 * The `svc.rules.toml` beside `svc.toml`.
 *
 * @module
 */
import { join } from "node:path";
import { hasErrors } from "../lib/diagnostic.ts";
import { parseRulesToml, type RuleSet } from "../rules/mod.ts";
import { BuildError } from "./build_error.ts";
import type { BuildHost } from "./types.ts";

export const RULES_FILE = "svc.rules.toml";

export interface RulesFile {
  /** Absolute path. */
  readonly path: string;
  readonly ruleSet: RuleSet;
}

/** Reads a rules file; `undefined` where there is none. */
export async function readOptionalText(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Reads and validates the rules of a folder; `undefined` where it has none.
 * Warnings are shown; errors are thrown, all of them with line and column.
 */
export async function readRulesFile(
  host: BuildHost,
  directory: string,
): Promise<RulesFile | undefined> {
  const path = join(directory, RULES_FILE);
  const source = await readOptionalText(path);
  if (source === undefined) return undefined;
  const file = host.showPath(path);
  const { ruleSet, diagnostics } = parseRulesToml(source);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (ruleSet === undefined || hasErrors(diagnostics)) {
    throw new BuildError(
      "rules_invalid",
      `Correct ${RULES_FILE}: it has ${errors.length} error(s)`,
      {
        found: { file, source, diagnostics },
      },
    );
  }
  if (diagnostics.length > 0) host.warn({ file, source, diagnostics });
  return { path, ruleSet };
}
