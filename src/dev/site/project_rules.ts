/** @module The project's rules, as a deployment would use them. */
import { join } from "node:path";
import { readOptionalText, RULES_FILE } from "../../build/mod.ts";
import { messageOf } from "../../lib/error_message.ts";
import { type Diagnostic, renderDiagnostic } from "../../lib/diagnostic.ts";
import { loadRulesToml, type RuntimeRuleSet, type Surroundings } from "../../rules/mod.ts";

/**
 * The rules, and the problems that were found in them. If there are errors, there are no rules to
 * use.
 */
export type ReadRules =
  | { readonly ok: true; readonly rules: RuntimeRuleSet | null; readonly warnings: string }
  | {
    readonly ok: false;
    readonly message: string;
    /** The errors, each with its line. */
    readonly errors: readonly string[];
  };

/** Reads `svc.rules.toml` in a folder, and validates it against the project. */
export async function readRules(
  folder: string,
  surroundings: Surroundings,
): Promise<ReadRules> {
  let source: string | undefined;
  try {
    source = await readOptionalText(join(folder, RULES_FILE), RULES_FILE);
  } catch (error) {
    const message = messageOf(error);
    return { ok: false, message, errors: [message] };
  }
  if (source === undefined) return { ok: true, rules: null, warnings: "" };
  const { runtime, diagnostics } = loadRulesToml(source, surroundings);
  const render = (diagnostic: Diagnostic) =>
    renderDiagnostic(diagnostic, { file: RULES_FILE, source });
  const text = diagnostics.map(render).join("\n");
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(render);
  return runtime === undefined
    ? { ok: false, message: text, errors }
    : { ok: true, rules: runtime, warnings: text };
}
