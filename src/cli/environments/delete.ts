import { deleteEnvironment } from "../../contract/environments.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { listEnvironments, pickEnvironment, readContext } from "./choose_environment.ts";

export default defineCommand({
  description: "Production and preview cannot be deleted.",
  define: (command) =>
    command
      .argument("<name-or-id>", "environment")
      .option("--force", "skip the confirmation")
      .option(...PROJECT_OPTION),
  offers: { "name-or-id": "environment" },
  examples: [
    ["environments delete staging", "delete staging after confirmation"],
    ["environments delete staging --force", "delete it without asking"],
  ],
  async run({ args: [reference], flags }, ctx) {
    const { client, project, folder } = await openProject(ctx, {
      given: flags.projectId,
      phase: "env",
    });
    const environments = await listEnvironments(client, project);
    const environment = pickEnvironment(ctx, {
      environments,
      reference,
      project,
      from: "argument",
    });
    const { id, name } = environment;
    if (environment.isBuiltIn) {
      throw new CliError("conflict", `Cannot delete ${name}: every project has it`);
    }
    await confirm(ctx, {
      force: flags.force,
      question:
        `Delete environment ${name} of ${project.name} and its variables? This cannot be undone`,
      wanted: `Confirm the deletion of environment ${name} of ${project.name} and its variables`,
      declined: "Nothing deleted",
      next: ctx.lines.of("environments", "delete", id, "--project-id", project.id, "--force"),
    });
    await client.call(deleteEnvironment, {
      params: { project: project.id, environment: id },
    });
    ctx.ui.done("env", `Deleted environment ${name} of ${project.name}`);
    const context = await readContext(ctx, folder.directory).catch(() => undefined);
    if (context?.environment.id === id) {
      ctx.ui.log("env", "warn", "This checkout still uses it. Run `svc context clear`");
    }
    ctx.ui.result({ deleted: true, environment }, "");
  },
});
