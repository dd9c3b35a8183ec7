import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";

export default defineCommand({
  description:
    "Lists all codes if you pass none. The codes come from failed commands with --json and failed API requests.",
  define: (command) => command.argument("[code]", "error code, such as rules_invalid"),
  examples: [
    ["explain rules_invalid", "show its meaning and how to fix it"],
    ["explain", "list all codes"],
  ],
  async run({ args: [code] }, ctx) {
    const { EXPLANATIONS, formatExplanation } = await import("./explain_code.ts");
    if (code === undefined) {
      const codes = [...EXPLANATIONS].map(([each, { meaning }]) => ({ code: each, meaning }));
      const rows = codes.map((each) => [each.code, each.meaning]);
      return ctx.ui.result({ codes }, ctx.ui.table(["CODE", "MEANING"], rows));
    }
    const explanation = EXPLANATIONS.get(code);
    if (explanation === undefined) {
      const { closest } = await import("fastest-levenshtein");
      const near = closest(code, [...EXPLANATIONS.keys()]);
      throw new CliError("usage", `Unknown error code "${code}"`, {
        hint: "List all codes with svc explain",
        next: [ctx.lines.of("explain", near)],
      });
    }
    const commands = explanation.commands.map((line) => `svc ${line}`);
    ctx.ui.result({ code, ...explanation, commands }, formatExplanation(code, explanation));
  },
});
