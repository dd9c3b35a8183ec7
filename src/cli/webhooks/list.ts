import { collectPages } from "../../client/mod.ts";
import { endpoints, MAX_WEBHOOKS, PAGE_LIMIT_MAX, type Webhook } from "../../contract/mod.ts";
import { defineCommand } from "../command/mod.ts";
import { printable } from "../terminal/mod.ts";

const toRow = ({ id, url, events, categories, enabled, disabledReason }: Webhook) => [
  printable(url),
  [...events, ...categories].join(", ") || "all",
  enabled ? "on" : disabledReason === null ? "off" : `off: ${printable(disabledReason)}`,
  id,
];

export default defineCommand({
  define: (command) => command,
  examples: [["webhooks list", "show the workspace's webhooks"]],
  async run(_, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const { items: webhooks } = await collectPages(
      (query) => client.call(endpoints.listWebhooks, { query }),
      { limit: MAX_WEBHOOKS, pageSize: PAGE_LIMIT_MAX },
    );
    if (webhooks.length === 0) ctx.ui.note("No webhooks: `svc webhooks create <url>` adds one");
    ctx.ui.result(
      { webhooks },
      webhooks.length === 0
        ? ""
        : ctx.ui.table(["URL", "EVENTS", "STATE", "ID"], webhooks.map(toRow)),
    );
  },
});
