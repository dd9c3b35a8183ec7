import { deleteWebhook } from "../../contract/webhooks.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";

export default defineCommand({
  description: "Also deletes the webhook's log. `svc webhooks list` shows the IDs.",
  define: (command) =>
    command
      .argument("<webhook_id>", "ID of the webhook")
      .option("--force", "skip the confirmation"),
  offers: { webhook_id: "webhook" },
  examples: [["webhooks delete 01900000-0000-7000-8000-000000000000 --force", "delete it"]],
  async run({ args: [webhook], flags }, ctx) {
    const client = ctx.client({ phase: "workspace" });
    await confirm(ctx, {
      force: flags.force,
      question: `Delete webhook ${webhook} and its log?`,
      wanted: `Confirm the deletion of webhook ${webhook}`,
      declined: "Nothing deleted",
    });
    await client.call(deleteWebhook, { params: { webhook } });
    ctx.ui.done("workspace", `Deleted webhook ${webhook}`);
    ctx.ui.result({ deleted: true }, "");
  },
});
