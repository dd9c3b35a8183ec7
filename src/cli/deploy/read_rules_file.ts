/**
 * The `svc.rules.toml` beside `svc.toml`.
 *
 * @module
 */
import { join } from "node:path";
import { hasErrors, renderDiagnostic } from "../../lib/diagnostic.ts";
import { parseRulesToml, type RuleSet } from "../../rules/mod.ts";
import { CliError } from "../cli_error.ts";
import type { Context } from "../context.ts";
import { printable } from "../format.ts";
import { showPath } from "../project_folder.ts";

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
 * Warnings are said; errors are thrown, all of them with line and column.
 */
export async function readRulesFile(
  ctx: Context,
  directory: string,
): Promise<RulesFile | undefined> {
  const path = join(directory, RULES_FILE);
  const source = await readOptionalText(path);
  if (source === undefined) return undefined;
  const file = showPath(path, ctx);
  const { ruleSet, diagnostics } = parseRulesToml(source);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (ruleSet === undefined || hasErrors(diagnostics)) {
    throw new CliError("rules_invalid", `Correct ${RULES_FILE}: it has ${errors.length} error(s)`, {
      found: { file, source, diagnostics },
    });
  }
  for (const diagnostic of diagnostics) {
    if (ctx.ui.json) {
      ctx.ui.log("build", "warn", renderDiagnostic(diagnostic, { file }));
    } else {ctx.ui.note(
        ctx.ui.colors.yellow(printable(renderDiagnostic(diagnostic, { file, source }))),
      );}
  }
  return { path, ruleSet };
}
