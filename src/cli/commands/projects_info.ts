import { endpoints } from "../../contract/mod.ts";
import { defineCommand } from "../command.ts";
import { formatProject } from "../show_project.ts";

export default defineCommand({
  define: (command) => command.argument("<id>", "id or name of the project"),
  examples: [["projects info blog", "show the project blog"]],
  answers: "{ project }",
  async run({ args: [id] }, ctx) {
    const client = ctx.client({ phase: "projects" });
    const project = await client.call(endpoints.getProject, { params: { project: id } });
    ctx.ui.result({ project }, formatProject(project));
  },
});
