import { deleteDrain } from "../../contract/drains.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description: "Queued records are not sent. `svc drains list` shows the IDs.",
  define: (command) =>
    command
      .argument("<drain_id>", "ID of the drain")
      .option("--force", "skip the confirmation")
      .option(...PROJECT_OPTION),
  offers: { drain_id: "drain" },
  examples: [["drains remove 01900000-0000-7000-8000-000000000000 --force", "remove it"]],
  async run({ args: [drain], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    await confirm(ctx, {
      force: flags.force,
      question: `Remove drain ${drain}?`,
      wanted: `Confirm the removal of drain ${drain}`,
      declined: "Nothing removed",
    });
    await client.call(deleteDrain, { params: { project: project.id, drain } });
    ctx.ui.done("deploy", `Removed drain ${drain}`);
    ctx.ui.result({ removed: true }, "");
  },
});
