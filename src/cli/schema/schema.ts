import {
  ANSWERING,
  answerMembers,
  type AnswerSchemas,
  answerSchemas,
  failureSchema,
} from "../answers/schemas.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";

/** Shows the commands that print JSON, each with the members of its answer. */
function list(ctx: Context): void {
  const commands = ANSWERING.map((command) => {
    const { object, lines } = answerSchemas(command) ?? {};
    return {
      command,
      members: answerMembers(command) ?? "",
      prints: [...object === undefined ? [] : ["object"], ...lines === undefined ? [] : ["lines"]],
    };
  });
  const rows = commands.map(({ command, members }) => [command, members]);
  ctx.ui.result({ commands }, ctx.ui.table(["COMMAND", "ANSWER"], rows));
}

/** The schemas of what these words name: those of a command, or that of failures. */
async function schemasOf(ctx: Context, words: string): Promise<AnswerSchemas> {
  if (words === "failure") return { object: failureSchema() };
  const found = answerSchemas(words);
  if (found !== undefined) return found;
  const { nearest } = await import("../../lib/suggest.ts");
  const near = nearest(words, ANSWERING);
  throw new CliError("usage", `Name a command that prints JSON: "${words}" is none`, {
    hint: "svc schema --list lists them all",
    next: [ctx.lines.of("schema", ...near === undefined ? ["--list"] : near.split(" "))],
  });
}

export default defineCommand({
  description: "JSON Schema 2020-12. A command that fails prints the object of `svc schema " +
    "failure` instead; `help` and `version` stand for --help and --version. Where a command prints " +
    "a stream, such as logs --follow, --lines shows the schema of each line.",
  define: (command) =>
    command
      .argument("[command...]", "words of the command, or failure")
      .option("--list", "list all commands, with the members of their answers")
      .option("--lines", "the schema of each line of a stream"),
  examples: [
    ["schema projects list", "show what svc projects list --json prints"],
    ["schema logs --lines", "show what each line of svc logs --follow --json is"],
    ["schema failure", "show what a command prints that fails"],
    ["schema --list --json", "list all commands, for programs"],
  ],
  async run({ args: [given], flags }, ctx) {
    if (flags.list === true) return list(ctx);
    const words = given.filter((word, at) => at > 0 || word !== "svc").join(" ");
    if (words === "") {
      throw new CliError("usage", "Name the command", {
        hint: "svc schema --list lists them all",
        next: [ctx.lines.of("schema", "--list")],
      });
    }
    const { object, lines } = await schemasOf(ctx, words);
    const asked = flags.lines === true ? lines : object ?? lines;
    if (asked === undefined) {
      throw new CliError("usage", `Leave --lines out: svc ${words} prints one object`);
    }
    ctx.ui.result(
      { command: words, schema: object ?? null, lines: lines ?? null },
      JSON.stringify(asked, null, 2),
    );
  },
});
