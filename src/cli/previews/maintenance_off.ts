import { updatePreviewAccess } from "../../contract/previews.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatAccess } from "./format_access.ts";

export default defineCommand({
  description: "Takes effect on the next request.",
  define: (command) => command.option(...PROJECT_OPTION),
  examples: [["maintenance off", "open production again"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const access = await client.call(updatePreviewAccess, {
      params: { project: project.id },
      body: { maintenance: null },
    });
    ctx.ui.done("deploy", `Production of ${project.name} is open`);
    ctx.ui.result({ previews: access }, formatAccess(access));
  },
});
