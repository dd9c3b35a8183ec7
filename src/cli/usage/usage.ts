import { listProjectUsage, listUsage, MAX_COUNTED, type Usage } from "../../contract/usage.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";

const rowOf = ({ subject, of, used, limit }: Usage) => [
  of === null ? subject : `${subject} of ${printable(of)}`,
  used === MAX_COUNTED ? `${used} or more` : String(used),
  limit === null ? "none" : String(limit),
];

export default defineCommand({
  description: "Shows the workspace unless you set --project-id.",
  define: (command) => command.option(...PROJECT_OPTION),
  examples: [
    ["usage", "show the limits of the workspace"],
    ["usage --project-id shop --json", "show the limits of a project as JSON"],
  ],
  async run({ flags: { projectId } }, ctx) {
    const read = async () => {
      if (projectId === undefined) {
        return await ctx.client({ phase: "workspace" }).call(listUsage, {});
      }
      const { client, project } = await openProject(ctx, { given: projectId, phase: "workspace" });
      return await client.call(listProjectUsage, { params: { project: project.id } });
    };
    const { items: usage } = await read();
    ctx.ui.result({ usage }, ctx.ui.table(["WHAT", "USED", "LIMIT"], usage.map(rowOf)));
  },
});
