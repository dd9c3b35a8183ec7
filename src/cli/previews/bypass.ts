import { createBypassKey, deleteBypassKey } from "../../contract/previews.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description:
    "Prints a new key once. The previous key stops working. CI and agents send it in the " +
    "x-svc-bypass header, or once in a query parameter of the same name.",
  define: (command) =>
    command
      .option("--remove", "delete the key")
      .option(...PROJECT_OPTION),
  examples: [
    ["previews bypass", "create a key"],
    ["previews bypass --remove", "delete it"],
  ],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const params = { project: project.id };
    if (flags.remove === true) {
      await client.call(deleteBypassKey, { params });
      ctx.ui.done("deploy", `Deleted the bypass key of ${project.name}`);
      return ctx.ui.result({ removed: true }, "");
    }
    const { key } = await client.call(createBypassKey, { params });
    ctx.ui.done("deploy", `Created a bypass key for the previews of ${project.name}`);
    ctx.ui.note("Copy the key now. It is a secret, and you won't see it again");
    ctx.ui.result({ key }, key);
  },
});
