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

/** Shows the commands that print JSON, each with the members of its output. */
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
  ctx.ui.result({ commands }, ctx.ui.table(["COMMAND", "OUTPUT"], rows));
}

async function schemasOf(ctx: Context, words: string): Promise<AnswerSchemas> {
  if (words === "failure") return { object: failureSchema() };
  const found = answerSchemas(words);
  if (found !== undefined) return found;
  const { nearest } = await import("../../lib/suggest.ts");
  const near = nearest(words, ANSWERING);
  throw new CliError("usage", `"${words}" is not a command that prints JSON`, {
    hint: "List all commands with svc schema --list",
    next: [ctx.lines.of("schema", ...near === undefined ? ["--list"] : near.split(" "))],
  });
}

export default defineCommand({
  description:
    "Prints JSON Schema 2020-12. A failed command prints the object that `svc schema failure` describes instead. Use `help` and `version` for --help and --version. For a command that streams, such as logs --follow, --lines shows the schema of each line.",
  define: (command) =>
    command
      .argument("[command...]", "words of the command, or failure")
      .option("--list", "list all commands with the fields of their output")
      .option("--lines", "show the schema of each line of a stream"),
  examples: [
    ["schema projects list", "show the schema of svc projects list --json"],
    ["schema logs --lines", "show the schema of each line of svc logs --follow --json"],
    ["schema failure", "show the schema of a failure"],
    ["schema --list --json", "list all commands for scripts"],
  ],
  async run({ args: [given], flags }, ctx) {
    if (flags.list === true) return list(ctx);
    const words = given.filter((word, at) => at > 0 || word !== "svc").join(" ");
    if (words === "") {
      throw new CliError("usage", "No command", {
        hint: "List all commands with svc schema --list",
        next: [ctx.lines.of("schema", "--list")],
      });
    }
    const { object, lines } = await schemasOf(ctx, words);
    const asked = flags.lines === true ? lines : object ?? lines;
    if (asked === undefined) {
      throw new CliError("usage", `Cannot use --lines: svc ${words} prints one object`);
    }
    ctx.ui.result(
      { command: words, schema: object ?? null, lines: lines ?? null },
      JSON.stringify(asked, null, 2),
    );
  },
});
