import { collectPages } from "../../client/collect_pages.ts";
import { listWebhooks, MAX_WEBHOOKS, type Webhook } from "../../contract/webhooks.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { defineCommand } from "../command/command.ts";
import { printable } from "../terminal/format.ts";

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
      (query) => client.call(listWebhooks, { query }),
      { limit: MAX_WEBHOOKS, pageSize: PAGE_LIMIT_MAX },
    );
    if (webhooks.length === 0) {
      ctx.ui.note("No webhooks yet: `svc webhooks create <url>` creates one");
    }
    ctx.ui.result(
      { webhooks },
      ctx.ui.table(["URL", "EVENTS", "STATE", "ID"], webhooks.map(toRow)),
    );
  },
});
