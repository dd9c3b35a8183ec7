import { getDeployment } from "../../contract/deployments.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  define: (command) =>
    command
      .option("--deployment-id <id>", "deployment (default: the production deployment)")
      .option(...PROJECT_OPTION),
  examples: [["functions list", "list the functions that production runs"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const deployment = flags.deploymentId ?? project.productionDeploymentId;
    if (deployment === null) {
      throw new CliError("not_found", `Project ${project.name} has no production deployment yet`, {
        hint: "Deploy with --prod, or choose a deployment with --deployment-id",
        next: [ctx.lines.ofProject("deployments", "list")],
      });
    }
    const { id, functions } = await client.call(getDeployment, {
      params: { deployment },
    });
    if (functions.length === 0) ctx.ui.note("The deployment has no functions");
    ctx.ui.result({ deploymentId: id, functions }, functions.join("\n"));
  },
});
