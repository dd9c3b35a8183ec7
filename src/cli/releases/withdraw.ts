import { withdrawRelease } from "../../contract/releases.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description:
    "Ends the rolling release: all of production's visitors see the old deployment again.",
  define: (command) => command.option(...PROJECT_OPTION),
  examples: [["releases withdraw", "withdraw the new deployment"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const release = await client.call(withdrawRelease, { params: { project: project.id } });
    ctx.ui.done("deploy", `Everyone sees ${release.old.deploymentId} again`);
    ctx.ui.result({ release }, release.state);
  },
});
