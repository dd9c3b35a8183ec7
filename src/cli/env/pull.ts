import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";

export default defineCommand({
  description:
    "A dotenv file would leave secrets in plain text on disk, where backups, editors and git can find them.",
  define: (command) => command.argument("[file...]", "ignored").allowUnknownOption(),
  examples: [["env pull", "show what to do instead"]],
  run(_, ctx) {
    return Promise.reject(
      new CliError(
        "unsupported",
        "svc does not write secrets to disk in plain text. Run your command with svc env exec instead",
        {
          hint: "Only that command gets the variables, and no file is written",
          next: [ctx.lines.of("env", "exec", "--help")],
        },
      ),
    );
  },
});
