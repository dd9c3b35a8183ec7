import { deleteHook } from "../../contract/hooks.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";
import { findHook } from "./project_hooks.ts";

export default defineCommand({
  description: "The hook's URL stops working immediately. Existing deployments are kept.",
  define: (command) =>
    command
      .argument("<hook>", "ID or name of the hook")
      .option("--force", "skip the confirmation")
      .option(...PROJECT_OPTION),
  offers: { hook: "hook" },
  examples: [
    ["hooks delete cms", "delete the hook cms after confirmation"],
    ["hooks delete cms --force", "delete it without asking"],
  ],
  async run({ args: [reference], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const hook = await findHook(ctx, client, { project, reference });
    await confirm(ctx, {
      force: flags.force,
      question: `Delete deploy hook ${printable(hook.name)}? Its URL will stop working`,
      wanted: `Confirm the deletion of deploy hook ${printable(hook.name)}`,
      declined: "Nothing deleted",
      next: ctx.lines.of("hooks", "delete", hook.id, "--project-id", project.id, "--force"),
    });
    await client.call(deleteHook, { params: { hook: hook.id } });
    ctx.ui.done("deploy", `Deleted deploy hook ${printable(hook.name)}`);
    ctx.ui.result({ deleted: true, hook }, "");
  },
});
