import { endpoints } from "../../contract/mod.ts";
import { actionRequired, CliError, declined } from "../cli_error.ts";
import { defineCommand } from "../command.ts";
import { listEnvironments, pickEnvironment, readContext } from "../env/choose_environment.ts";
import { projectOfVariables } from "../env/project_variables.ts";

export default defineCommand({
  description: "Its variables go with it; production and preview can not be deleted.",
  define: (command) =>
    command
      .argument("<name-or-id>", "environment")
      .option("--force", "do not ask")
      .option("--project-id <id>", "id or name of the project"),
  examples: [
    ["environments delete staging", "delete staging after a question"],
    ["environments delete staging --force", "delete it without one"],
  ],
  answers: "{ deleted, environment }",
  async run({ args: [reference], flags }, ctx) {
    const command = "svc environments delete";
    const { client, project, folder } = await projectOfVariables(ctx, flags.projectId, command);
    const environments = await listEnvironments(client, project);
    const environment = pickEnvironment(environments, reference, project);
    const { id, name } = environment;
    if (environment.isBuiltIn) {
      throw new CliError("conflict", `Keep ${name}: every project has it`);
    }
    if (flags.force !== true) {
      if (ctx.prompter === undefined) {
        throw actionRequired(
          `Confirm that environment ${name} of ${project.name} shall go with its variables`,
          [`${command} ${id} --project-id ${project.id} --force`],
        );
      }
      const sure = await ctx.prompter.confirm({
        message: `Delete environment ${name} of ${project.name} with its variables? ` +
          "This can not be undone",
      });
      if (!sure) throw declined("Nothing deleted");
    }
    await client.call(endpoints.deleteEnvironment, {
      params: { project: project.id, environment: id },
    });
    ctx.ui.done("env", `Deleted environment ${name} of ${project.name}`);
    const context = await readContext(folder.directory).catch(() => undefined);
    if (context?.environment.id === id) {
      ctx.ui.log("env", "warn", "The context names it: `svc context clear` forgets it");
    }
    ctx.ui.result({ deleted: true, environment }, "");
  },
});
