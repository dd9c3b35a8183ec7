import { stopDeployment } from "../../contract/deployments.ts";
import { defineCommand } from "../command/command.ts";
import { deploymentId } from "../command/option_values.ts";

export default defineCommand({
  description: "Its addresses stop answering and its server ends, for good. A deployment that is " +
    "queued or being built does not go live. What production shows cannot be stopped: roll " +
    "back, or deploy again.",
  define: (command) =>
    command.argument("<id>", "id of the deployment; `svc deployments` shows it", deploymentId),
  offers: { id: "deployment" },
  examples: [["stop 01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11", "stop a live preview"]],
  async run({ args: [id] }, ctx) {
    const client = ctx.client({ phase: "deploy" });
    const deployment = await client.call(stopDeployment, { params: { deployment: id } });
    ctx.ui.done("deploy", `Stopped ${deployment.id} of ${deployment.project}`);
    ctx.ui.result({ deployment }, "");
  },
});
