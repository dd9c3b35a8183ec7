import { finishRelease } from "../../contract/releases.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description: "Ends the rolling release: all of production's visitors see the new deployment.",
  define: (command) => command.option(...PROJECT_OPTION),
  examples: [["releases finish", "release the new deployment to everyone now"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const release = await client.call(finishRelease, { params: { project: project.id } });
    ctx.ui.done("deploy", `Everyone sees ${release.new.deploymentId}`);
    ctx.ui.result({ release }, release.state);
  },
});
