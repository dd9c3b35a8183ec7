import { endpoints } from "../../contract/mod.ts";
import { actionRequired, declined } from "../cli_error.ts";
import { defineCommand } from "../command.ts";

export default defineCommand({
  define: (command) =>
    command
      .argument("<id>", "id or name of the project")
      .option("--force", "do not ask"),
  examples: [
    ["projects delete blog", "delete the project blog after a question"],
    ["projects delete blog --force", "delete it without one"],
  ],
  answers: "{ deleted, project }",
  async run({ args: [id], flags }, ctx) {
    const client = ctx.client({ phase: "projects" });
    const project = await client.call(endpoints.getProject, { params: { project: id } });
    if (flags.force !== true) {
      if (ctx.prompter === undefined) {
        throw actionRequired(
          `Confirm that project ${project.name} shall be deleted with all its deployments`,
          [`svc projects delete ${project.id} --force`],
        );
      }
      const sure = await ctx.prompter.confirm({
        message: `Delete project ${project.name} with all its deployments? This can not be undone`,
      });
      if (!sure) throw declined("Nothing deleted");
    }
    await client.call(endpoints.deleteProject, { params: { project: project.id } });
    ctx.ui.done("projects", `Deleted project ${project.name}`);
    ctx.ui.result({ deleted: true, project }, "");
  },
});
