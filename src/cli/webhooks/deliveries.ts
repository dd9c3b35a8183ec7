import { collectPages } from "../../client/collect_pages.ts";
import {
  listWebhookDeliveries,
  MAX_WEBHOOK_LOG,
  type WebhookDelivery,
} from "../../contract/webhooks.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { defineCommand } from "../command/command.ts";
import { wholeNumber } from "../command/option_values.ts";
import { printable } from "../terminal/format.ts";

function toRow({ id, event, status, attempts, createdAt }: WebhookDelivery): string[] {
  const last = attempts.at(-1);
  const answer = last === undefined ? "" : `${printable(last.detail)}, ${last.durationMs} ms`;
  return [createdAt, event, status, String(attempts.length), answer, id];
}

export default defineCommand({
  description: "Newest first, with the response to the last attempt.",
  define: (command) =>
    command
      .argument("<webhook_id>", "ID of the webhook")
      .option(
        "--limit <n>",
        "maximum number",
        wholeNumber({ min: 1, max: MAX_WEBHOOK_LOG }),
        PAGE_LIMIT_DEFAULT,
      ),
  offers: { webhook_id: "webhook" },
  examples: [
    ["webhooks deliveries 01900000-0000-7000-8000-000000000000", "show its deliveries"],
  ],
  async run({ args: [webhook], flags }, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const { items: deliveries, nextCursor } = await collectPages(
      (query) => client.call(listWebhookDeliveries, { params: { webhook }, query }),
      { limit: flags.limit, pageSize: PAGE_LIMIT_MAX },
    );
    if (deliveries.length === 0) ctx.ui.note("No deliveries yet");
    if (nextCursor !== null) {
      ctx.ui.note(`There are more deliveries. Raise --limit above ${flags.limit}`);
    }
    const headings = ["AT", "EVENT", "STATUS", "ATTEMPTS", "RESPONSE", "ID"];
    ctx.ui.result({ deliveries, nextCursor }, ctx.ui.table(headings, deliveries.map(toRow)));
  },
});
