import { updateHook } from "../../contract/hooks.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";
import { findHook } from "./project_hooks.ts";

export default defineCommand({
  define: (command) =>
    command
      .argument("<hook>", "ID or name of the hook")
      .argument("<name>", "new name")
      .option(...PROJECT_OPTION),
  offers: { hook: "hook" },
  examples: [["hooks rename ci github", "rename the hook ci to github"]],
  async run({ args: [reference, name], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const { id } = await findHook(ctx, client, { project, reference });
    const hook = await client.call(updateHook, { params: { hook: id }, body: { name } });
    ctx.ui.done("deploy", `Renamed the deploy hook to ${printable(hook.name)}`);
    ctx.ui.result({ hook }, "");
  },
});
