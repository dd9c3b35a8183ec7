import { deleteProject, getProject } from "../../contract/projects.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";

export default defineCommand({
  define: (command) =>
    command
      .argument("<id>", "ID or name of the project")
      .option("--force", "skip the confirmation"),
  offers: { id: "project" },
  examples: [
    ["projects delete blog", "delete the project blog after confirmation"],
    ["projects delete blog --force", "delete it without confirmation"],
  ],
  async run({ args: [id], flags }, ctx) {
    const client = ctx.client({ phase: "projects" });
    const project = await client.call(getProject, { params: { project: id } });
    await confirm(ctx, {
      force: flags.force,
      question: `Delete project ${project.name} and all its deployments? This cannot be undone`,
      wanted: `Confirm the deletion of project ${project.name} and all its deployments`,
      declined: "Nothing deleted",
      next: ctx.lines.of("projects", "delete", project.id, "--force"),
    });
    await client.call(deleteProject, { params: { project: project.id } });
    ctx.ui.done("projects", `Deleted project ${project.name}`);
    ctx.ui.result({ deleted: true, project }, "");
  },
});
