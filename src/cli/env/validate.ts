import { defineCommand } from "../command/mod.ts";
import { listEnvironments, pickEnvironment } from "../environments/mod.ts";
import { openProject } from "../projects/mod.ts";
import { formatCount } from "../terminal/mod.ts";
import { findExposed, findMissing, missingVariables } from "./missing_variables.ts";
import { listVariables } from "./project_variables.ts";

export default defineCommand({
  description: "Checks every environment unless --environment names one; SVC_ENVIRONMENT and the " +
    "context do not count. Exit code 1 if a required variable is missing.",
  define: (command) =>
    command
      .option("--environment <name-or-id>", "only this environment")
      .option("--project-id <id>", "id or name of the project"),
  examples: [
    ["env validate", "check every environment"],
    ["env validate --environment production --json", "one of them, for CI"],
  ],
  async run({ flags }, ctx) {
    const { client, project, folder } = await openProject(ctx, {
      given: flags.projectId,
      phase: "env",
    });
    const declarations = folder.config?.env.declarations ?? new Map();
    const [all, variables] = await Promise.all([
      listEnvironments(client, project),
      listVariables(client, project),
    ]);
    const environments = flags.environment === undefined ? all : [
      pickEnvironment(ctx, {
        environments: all,
        reference: flags.environment,
        project,
        from: "flag",
      }),
    ];
    const names = environments.map(({ name }) => name);
    const exposed = findExposed(declarations, variables);
    for (const { key, scope } of exposed) {
      ctx.ui.log(
        "env",
        "warn",
        `${key} is declared sensitive but plain in ${scope}: ` +
          "svc env set with --secret --change-category makes it secret",
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
