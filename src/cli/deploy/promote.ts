import { promoteDeployment } from "../../contract/deployments.ts";
import { defineCommand } from "../command/command.ts";
import { deploymentId } from "../command/option_values.ts";
import { reportRulesInEffect } from "../rules/published_rules.ts";
import { formatFacts } from "../terminal/table.ts";

export default defineCommand({
  description:
    "Nothing is rebuilt or uploaded. Production gets the files, functions and rules of the deployment, with production's variables. Values that were read at build time do not change.",
  define: (command) =>
    command.argument("<id>", "id of the deployment; `svc deployments` shows it", deploymentId),
  offers: { id: "deployment" },
  examples: [["promote 01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11", "promote a preview to production"]],
  async run({ args: [id] }, ctx) {
    const client = ctx.client({ phase: "deploy" });
    const deployment = await client.call(promoteDeployment, {
      params: { deployment: id },
    });
    ctx.ui.done("deploy", `Promoted ${id} of ${deployment.project} to production`);
    ctx.ui.note(formatFacts([
      ["  deployment", deployment.id],
      ["  production", deployment.urls.production],
      ["  undo", ctx.lines.of("rollback", "--project-id", deployment.project)],
    ]));
    const rulesInEffect = await reportRulesInEffect(ctx, client, {
      project: deployment.projectId,
      phase: "deploy",
    });
    ctx.ui.result({ deployment, rulesInEffect }, deployment.urls.production);
  },
});
