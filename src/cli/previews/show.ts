import { getPreviewAccess } from "../../contract/previews.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatAccess } from "./format_access.ts";

export default defineCommand({
  description: "A deployment's `svc.toml` can override this for that deployment.",
  define: (command) => command.option(...PROJECT_OPTION),
  examples: [["previews show", "show who can visit previews"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const access = await client.call(getPreviewAccess, { params: { project: project.id } });
    ctx.ui.result({ previews: access }, formatAccess(access));
  },
});
