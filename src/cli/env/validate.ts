import { defineCommand } from "../command/command.ts";
import { chooseEnvironment, listEnvironments } from "../environments/choose_environment.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatCount } from "../terminal/format.ts";
import { findExposed, findMissing, missingVariables } from "./missing_variables.ts";
import { listVariables } from "./project_variables.ts";

export default defineCommand({
  description:
    "Checks the environment from --environment, SVC_ENVIRONMENT or the context. If none is chosen, or with --all, checks every environment. Exits with code 1 if a required variable is missing.",
  define: (command) =>
    command
      .option("--environment <name-or-id>", "only this environment")
      .option("--all", "every environment")
      .option(...PROJECT_OPTION),
  examples: [
    ["env validate", "check every environment"],
    ["env validate --environment production --json", "check one environment in CI"],
  ],
  async run({ flags }, ctx) {
    if (flags.all === true && flags.environment !== undefined) {
      throw new CliError("usage", "Use either --environment or --all");
    }
    const opened = await openProject(ctx, { given: flags.projectId, phase: "env" });
    const { client, project, folder } = opened;
    const declarations = folder.config?.env.declarations ?? new Map();
    const [all, variables] = await Promise.all([
      listEnvironments(client, project),
      listVariables(client, project),
    ]);
    const chosen = flags.all === true
      ? undefined
      : await chooseEnvironment(ctx, { given: flags.environment, phase: "env", ...opened });
    const environments = chosen === undefined ? all : [chosen.environment];
    const names = environments.map(({ name }) => name);
    const exposed = findExposed(declarations, variables);
    for (const { key, scope } of exposed) {
      ctx.ui.log(
        "env",
        "warn",
        `${key} is declared sensitive but stored as plain in ${scope}. Change it with svc env set --secret --change-category`,
      );
    }
    const missing = findMissing(declarations, variables, {
      lines: ctx.lines,
      environments: names,
      projectId: flags.projectId,
    });
    if (missing.length > 0) throw missingVariables(missing);
    if (declarations.size === 0) {
      ctx.ui.note("Nothing to check: svc.toml declares no variables");
    } else {
      const count = formatCount(declarations.size, "declared variable");
      ctx.ui.done("env", `Complete: ${count} in ${names.join(", ")}`);
    }
    ctx.ui.result(
      { valid: true, declared: [...declarations.keys()], environments: names, missing, exposed },
      "",
    );
  },
});
