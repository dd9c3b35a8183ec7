import { redeliverWebhook } from "../../contract/webhooks.ts";
import { defineCommand } from "../command/command.ts";

const EXAMPLE = "01900000-0000-7000-8000-00000000000";

export default defineCommand({
  description:
    "The receiver gets the same `webhook-id`, so it can detect the duplicate. `svc webhooks deliveries` shows the IDs.",
  define: (command) =>
    command
      .argument("<webhook_id>", "ID of the webhook")
      .argument("<delivery_id>", "ID of the delivery"),
  offers: { webhook_id: "webhook" },
  examples: [[`webhooks redeliver ${EXAMPLE}1 ${EXAMPLE}2`, "resend it"]],
  async run({ args: [webhook, delivery] }, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const answer = await client.call(redeliverWebhook, { params: { webhook, delivery } });
    ctx.ui.done("workspace", "Queued");
    ctx.ui.result(answer, "");
  },
});
