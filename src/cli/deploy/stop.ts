import { stopDeployment } from "../../contract/deployments.ts";
import { defineCommand } from "../command/command.ts";
import { deploymentId } from "../command/option_values.ts";

export default defineCommand({
  description:
    "The deployment's URLs and server stop working permanently. A queued or building deployment does not go live. You cannot stop the production deployment: roll back or deploy again instead.",
  define: (command) =>
    command.argument("<id>", "ID of the deployment; `svc deployments` shows it", deploymentId),
  offers: { id: "deployment" },
  examples: [["stop 01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11", "stop a live preview"]],
  async run({ args: [id] }, ctx) {
    const client = ctx.client({ phase: "deploy" });
    const deployment = await client.call(stopDeployment, { params: { deployment: id } });
    ctx.ui.done("deploy", `Stopped ${deployment.id} of ${deployment.project}`);
    ctx.ui.result({ deployment }, "");
  },
});
