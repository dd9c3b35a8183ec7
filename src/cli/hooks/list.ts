import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { HOOK_HEADINGS, hookRow, listHooks } from "./project_hooks.ts";

export default defineCommand({
  description: "TRIGGERED counts the deployments that the hook started.",
  define: (command) => command.option(...PROJECT_OPTION),
  examples: [["hooks list", "show the deploy hooks of this directory's project"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const hooks = await listHooks(client, project);
    if (hooks.length === 0) ctx.ui.note("No deploy hooks yet: `svc hooks create` creates one");
    const rows = hooks.map((hook) => hookRow(hook, ctx.now()));
    ctx.ui.result({ hooks }, ctx.ui.table(HOOK_HEADINGS, rows));
  },
});
