/** @module The rules file that a `rules` command works on. */
import { join } from "node:path";
import { readOptionalText, RULES_FILE } from "../../build/mod.ts";
import { renderDiagnostic } from "../../lib/diagnostic.ts";
import { NotUtf8Error, utf8Diagnostic } from "../../lib/utf8.ts";
import {
  type LoadedRules,
  loadRulesToml,
  type RuleSet,
  type RuntimeRuleSet,
  type Surroundings,
} from "../../rules/mod.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProjectFolder } from "../projects/project_folder.ts";
import type { Context } from "../session/context.ts";
import { showPath } from "../session/paths.ts";
import { formatCount, printable, printableName } from "../terminal/format.ts";

export interface RulesSource {
  /** Absolute path. */
  readonly path: string;
  /** Path as shown to the user. */
  readonly shown: string;
  readonly source: string;
}

/** Reads a file that must exist. */
export async function readSource(ctx: Context, path: string): Promise<RulesSource> {
  const shown = showPath(path, ctx);
  const source = await readOptionalText(path, shown);
  if (source !== undefined) return { path, shown, source };
  throw new CliError("not_found", `The file ${printableName(shown)} does not exist`);
}

/** Reads the named file, or else the `svc.rules.toml` in the project's folder. */
export async function readRulesSource(
  ctx: Context,
  given: string | undefined,
): Promise<RulesSource> {
  const path = given === undefined
    ? join((await openProjectFolder(ctx)).directory, RULES_FILE)
    : ctx.path(given);
  return await readSource(ctx, path).catch((error) => {
    if (!(error instanceof NotUtf8Error)) throw error;
    throw new CliError("rules_invalid", `${error.file} is not UTF-8`, {
      found: { file: error.file, diagnostics: [utf8Diagnostic(error.fault)] },
    });
  });
}

interface ValidRules {
  readonly ruleSet: RuleSet;
  readonly runtime: RuntimeRuleSet;
  readonly diagnostics: LoadedRules["diagnostics"];
}

/**
 * Validates the text of a rules file. If the text has errors, throws an error that lists all
 * problems.
 */
export function loadValidRules(
  { shown, source }: RulesSource,
  surroundings: Surroundings = {},
): ValidRules {
  const { diagnostics, ruleSet, runtime } = loadRulesToml(source, surroundings);
  if (ruleSet !== undefined && runtime !== undefined) return { ruleSet, runtime, diagnostics };
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  throw new CliError("rules_invalid", `${shown} has ${formatCount(errors, "error")}`, {
    found: { file: shown, source, diagnostics },
  });
}

/** Shows the warnings about a rules file with their lines, or as log lines in JSON mode. */
export function reportWarnings(
  { ui }: Context,
  { shown, source }: RulesSource,
  diagnostics: ValidRules["diagnostics"],
): void {
  for (const diagnostic of diagnostics) {
    if (ui.json) ui.log("build", "warn", renderDiagnostic(diagnostic, { file: shown }));
    else {
      const text = renderDiagnostic(diagnostic, { file: shown, source });
      ui.note(ui.colors.yellow(printable(text)));
    }
  }
}
