import { defineCommand } from "../command/command.ts";
import { chooseEnvironment } from "../environments/choose_environment.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatAge } from "../terminal/format.ts";
import { listVariables } from "./project_variables.ts";

/** Displayed instead of a secret's value. The length is fixed, so it reveals nothing. */
const MASK = "********";

export default defineCommand({
  description:
    "Values of secrets are hidden. Use `svc env exec` to pass them to a command. If no environment is chosen (flag, SVC_ENVIRONMENT or context), lists the variables of every scope.",
  define: (command) =>
    command
      .option("--environment <name-or-id>", "only the variables of this environment")
      .option("--all", "list every scope, ignoring SVC_ENVIRONMENT and the context")
      .option(...PROJECT_OPTION),
  examples: [
    ["env list", "show the variables of this directory's project"],
    ["env list --environment production --json", "list production's variables for scripts"],
  ],
  async run({ flags }, ctx) {
    if (flags.all === true && flags.environment !== undefined) {
      throw new CliError("usage", "Use either --environment or --all");
    }
    const { client, project, folder } = await openProject(ctx, {
      given: flags.projectId,
      phase: "env",
    });
    const chosen = flags.all === true ? undefined : await chooseEnvironment(ctx, {
      given: flags.environment,
      folder,
      project,
      client,
      phase: "env",
    });
    const variables = await listVariables(client, project, chosen?.environment.name);
    if (variables.length === 0) ctx.ui.note("No variables yet: `svc env set <key>` creates one");
    const rows = variables.map(({ key, category, scope, value, updatedAt }) => [
      key,
      category,
      scope,
      formatAge(updatedAt, ctx.now()),
      value ?? MASK,
    ]);
    ctx.ui.result(
      {
        environment: chosen?.environment.name ?? null,
        environmentSource: chosen?.source ?? null,
        variables,
      },
      ctx.ui.table(["KEY", "CATEGORY", "SCOPE", "CHANGED", "VALUE"], rows),
    );
  },
});
