import { defineCommand } from "../command/command.ts";
import { chooseEnvironment } from "../environments/choose_environment.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject } from "../projects/resolve_project.ts";
import { formatAge } from "../terminal/format.ts";
import { listVariables } from "./project_variables.ts";

/** Replaces a secret's value, whatever its length. */
const MASK = "********";

export default defineCommand({
  description:
    "Does not show the values of secrets; `svc env exec` passes them to a command. Without " +
    "an environment (flag, SVC_ENVIRONMENT or context), lists the variables of every scope.",
  define: (command) =>
    command
      .option("--environment <name-or-id>", "only what this environment sees")
      .option("--all", "every scope, whatever SVC_ENVIRONMENT and the context say")
      .option("--project-id <id>", "id or name of the project"),
  examples: [
    ["env list", "show the variables of this directory's project"],
    ["env list --environment production --json", "what production sees, for programs"],
  ],
  async run({ flags }, ctx) {
    if (flags.all === true && flags.environment !== undefined) {
      throw new CliError("usage", "Give --environment or --all, not both");
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
    if (variables.length === 0) {
      ctx.ui.note("No variables: `svc env set <key>` creates one");
    }
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
      rows.length === 0 ? "" : ctx.ui.table(["KEY", "CATEGORY", "SCOPE", "CHANGED", "VALUE"], rows),
    );
  },
});
