import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";

export default defineCommand({
  description: "Without a code, lists all of them. The codes are those of failed commands with " +
    "--json and of failed requests of the API.",
  define: (command) => command.argument("[code]", "code of an error, such as rules_invalid"),
  examples: [
    ["explain rules_invalid", "say what it means and how to mend it"],
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
      throw new CliError("usage", `Give a code that svc has: "${code}" is none`, {
        hint: "svc explain lists them all",
        next: [ctx.lines.of("explain", near)],
      });
    }
    const commands = explanation.commands.map((line) => `svc ${line}`);
    ctx.ui.result({ code, ...explanation, commands }, formatExplanation(code, explanation));
  },
});
