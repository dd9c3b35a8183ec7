import { getProject } from "../../contract/projects.ts";
import { getProjectHealth } from "../../contract/health.ts";
import { defineCommand } from "../command/command.ts";
import { formatProject } from "./show_project.ts";

export default defineCommand({
  define: (command) => command.argument("<id>", "ID or name of the project"),
  description: "Includes the health of the production servers.",
  offers: { id: "project" },
  examples: [["projects info blog", "show the project blog"]],
  async run({ args: [id] }, ctx) {
    const client = ctx.client({ phase: "projects" });
    const params = { project: id };
    const [project, health] = await Promise.all([
      client.call(getProject, { params }),
      client.call(getProjectHealth, { params }),
    ]);
    ctx.ui.result({ project, health }, formatProject(project, health));
  },
});
