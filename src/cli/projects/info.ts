import { endpoints } from "../../contract/mod.ts";
import { defineCommand } from "../command/mod.ts";
import { formatProject } from "./show_project.ts";

export default defineCommand({
  define: (command) => command.argument("<id>", "id or name of the project"),
  description: "Includes the health of production's servers, and what is wrong with them.",
  offers: { id: "project" },
  examples: [["projects info blog", "show the project blog"]],
  async run({ args: [id] }, ctx) {
    const client = ctx.client({ phase: "projects" });
    const params = { project: id };
    const [project, health] = await Promise.all([
      client.call(endpoints.getProject, { params }),
      client.call(endpoints.getProjectHealth, { params }),
    ]);
    ctx.ui.result({ project, health }, formatProject(project, health));
  },
});
