import { deleteShare } from "../../contract/previews.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description: "The link stops working immediately, even in browsers that already used it.",
  define: (command) =>
    command
      .argument("<share>", "ID of the share link; `svc previews list` shows it")
      .option(...PROJECT_OPTION),
  examples: [["previews revoke 01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11", "revoke a share link"]],
  async run({ args: [share], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    await client.call(deleteShare, { params: { project: project.id, share } });
    ctx.ui.done("deploy", `Revoked share link ${share}`);
    ctx.ui.result({ revoked: true, id: share }, "");
  },
});
