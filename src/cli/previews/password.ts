import { updatePreviewAccess } from "../../contract/previews.ts";
import { defineCommand } from "../command/command.ts";
import { readValue } from "../command/read_value.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatAccess } from "./format_access.ts";

export default defineCommand({
  description:
    "Asks for the password, or reads it from stdin or a file. A new password signs out " +
    "everyone who used the old one. Previews ask for the password if their protection is " +
    "password or all.",
  define: (command) =>
    command
      .option("--stdin", "read the password from stdin")
      .option("--from-file <path>", "read the password from a file")
      .option("--remove", "remove the password")
      .option(...PROJECT_OPTION),
  examples: [
    ["previews password --stdin < password.txt", "set the password"],
    ["previews password --remove", "remove it"],
  ],
  async run({ flags }, ctx) {
    const { remove, stdin, fromFile } = flags;
    if (remove === true && (stdin === true || fromFile !== undefined)) {
      throw new CliError("usage", "Use either a password or --remove, not both");
    }
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const password = remove === true
      ? null
      : await readValue(ctx, { stdin, fromFile }, { key: "the password", category: "secret" });
    const access = await client.call(updatePreviewAccess, {
      params: { project: project.id },
      body: { password },
    });
    const done = password === null ? "Removed the password" : "Set the password";
    ctx.ui.done("deploy", `${done} of ${project.name}`);
    const { protection } = access;
    if (password !== null && protection !== "password" && protection !== "all") {
      ctx.ui.note(
        `Previews do not ask for the password yet: ${
          ctx.lines.of("previews", "set", "--protection", "password")
        }`,
      );
    }
    ctx.ui.result({ previews: access }, formatAccess(access));
  },
});
