import { renderDiagnostic } from "../../lib/diagnostic.ts";
import { defineCommand } from "../command/command.ts";
import { formatCount, printable } from "../terminal/format.ts";
import { loadValidRules, readRulesSource } from "./rules_file.ts";
import { surroundingsOf } from "./surroundings.ts";

export default defineCommand({
  define: (command) =>
    command.argument("[file]", "rules file (default: svc.rules.toml of the project)"),
  examples: [
    ["rules check", "validate svc.rules.toml"],
    ["rules check edge.toml --json", "validate another file, with problems as JSON"],
  ],
  async run({ args: [given] }, ctx) {
    const file = await readRulesSource(ctx, given);
    const { diagnostics, ruleSet } = loadValidRules(file, await surroundingsOf(ctx, file));
    for (const diagnostic of diagnostics) {
      const text = renderDiagnostic(diagnostic, { file: file.shown, source: file.source });
      ctx.ui.note(ctx.ui.colors.yellow(printable(text)));
    }
    const warnings = diagnostics.length === 0
      ? ""
      : `, ${formatCount(diagnostics.length, "warning")}`;
    ctx.ui.done(
      "build",
      `${file.shown} is valid: ${formatCount(ruleSet.rules.length, "rule")}${warnings}`,
    );
    ctx.ui.result(
      { file: file.path, valid: true, rules: ruleSet.rules.length, diagnostics },
      "",
    );
  },
});
