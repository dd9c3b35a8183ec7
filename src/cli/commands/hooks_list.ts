import { defineCommand } from "../command.ts";
import { HOOK_HEADINGS, hookRow, listHooks, projectOfHooks } from "../hooks/project_hooks.ts";

export default defineCommand({
  description: "TRIGGERED counts the triggers that were answered with a deployment.",
  define: (command) => command.option("--project-id <id>", "id or name of the project"),
  examples: [["hooks list", "show the deploy hooks of this directory's project"]],
  answers: "{ hooks }",
  async run({ flags }, ctx) {
    const { client, project } = await projectOfHooks(ctx, flags.projectId);
    const hooks = await listHooks(client, project);
    if (hooks.length === 0) ctx.ui.note("No deploy hooks: `svc hooks create` makes one");
    const rows = hooks.map((hook) => hookRow(hook, ctx.now()));
    ctx.ui.result({ hooks }, hooks.length === 0 ? "" : ctx.ui.table(HOOK_HEADINGS, rows));
  },
});
