import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";

export default defineCommand({
  description:
    "Always refused: a dotenv file would leave secrets in plain text on the disk, where " +
    "backups, editors and git find them.",
  define: (command) => command.argument("[file...]", "ignored").allowUnknownOption(),
  examples: [["env pull", "show what to do instead"]],
  run(_, ctx) {
    return Promise.reject(
      new CliError(
        "unsupported",
        "Run the command that needs the variables with svc env exec: pulling would write " +
          "secrets to the disk in plain text",
        {
          hint: "The variables then exist in that command alone, and no file is written",
          next: [ctx.lines.of("env", "exec", "--help")],
        },
      ),
    );
  },
});
