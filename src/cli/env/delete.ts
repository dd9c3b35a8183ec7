import { deleteVariable } from "../../contract/variables.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";
import { listVariables } from "./project_variables.ts";
import { checkVariableName } from "./variable_name.ts";

export default defineCommand({
  description: "Existing deployments keep their variables.",
  define: (command) =>
    command
      .argument("<key>", "name of the variable")
      .option(
        "--scope <scope>",
        "only its value for all environments (all) or for this environment",
      )
      .option("--force", "skip the confirmation")
      .option(...PROJECT_OPTION),
  offers: { key: "variable" },
  examples: [
    ["env delete LOG_LEVEL", "delete the variable after confirmation"],
    ["env delete LOG_LEVEL --force", "delete it without asking"],
    ["env delete LOG_LEVEL --scope preview", "delete its value for previews"],
  ],
  async run({ args: [given], flags }, ctx) {
    const key = checkVariableName(given);
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "env" });
    const variables = await listVariables(client, project);
    const scopes = variables.filter((each) =>
      each.key === key && (flags.scope === undefined || each.scope === flags.scope)
    ).map(({ scope }) => scope);
    if (scopes.length === 0) {
      const where = flags.scope === undefined ? "" : ` in ${printable(flags.scope)}`;
      throw new CliError("not_found", `Project ${project.name} has no variable ${key}${where}`, {
        next: [ctx.lines.ofProject("env", "list", "--all")],
      });
    }
    const subject = `${key} of ${project.name} (set in ${scopes.join(", ")})`;
    await confirm(ctx, {
      force: flags.force,
      question: `Delete variable ${subject}? This cannot be undone`,
      wanted: `Confirm the deletion of variable ${subject}`,
      declined: "Nothing deleted",
      next: ctx.lines.of(
        "env",
        "delete",
        key,
        ...(flags.scope === undefined ? [] : ["--scope", flags.scope]),
        "--project-id",
        project.id,
        "--force",
      ),
    });
    await client.call(deleteVariable, {
      params: { project: project.id, key },
      query: { scope: flags.scope },
    });
    ctx.ui.done("env", `Deleted ${subject}`);
    ctx.ui.result({ deleted: true, key, scopes }, "");
  },
});
