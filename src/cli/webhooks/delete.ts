import { endpoints } from "../../contract/mod.ts";
import { defineCommand } from "../command/mod.ts";

export default defineCommand({
  description: "Deletes its log too. `svc webhooks list` shows the ids.",
  define: (command) => command.argument("<webhook_id>", "id of the webhook"),
  offers: { webhook_id: "webhook" },
  examples: [["webhooks delete 01900000-0000-7000-8000-000000000000", "delete it"]],
  async run({ args: [webhook] }, ctx) {
    const client = ctx.client({ phase: "workspace" });
    await client.call(endpoints.deleteWebhook, { params: { webhook } });
    ctx.ui.done("workspace", `Deleted webhook ${webhook}`);
    ctx.ui.result({ deleted: true }, "");
  },
});
