import { EVENT_CATEGORIES, PRIORITIES } from "../../contract/events.ts";
import { Option } from "@commander-js/extra-typings";
import { listNotifications, type Notification } from "../../contract/notifications.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { defineCommand } from "../command/command.ts";
import { wholeNumber } from "../command/option_values.ts";
import { formatNotifications } from "./show_notifications.ts";

/** Maximum number of notifications in one response. */
const MAX_LISTED = 10_000;
const MAX_OFFSET = 1_000_000_000;

export default defineCommand({
  description: "Newest first. A star marks unread notifications.",
  define: (command) =>
    command
      .option("--archived", "show the archive instead of the inbox")
      .option("--unread", "only unread notifications")
      .addOption(new Option("--category <name>", "only this category").choices(EVENT_CATEGORIES))
      .addOption(new Option("--priority <name>", "only this priority").choices(PRIORITIES))
      .option(
        "--limit <n>",
        "maximum number",
        wholeNumber({ min: 1, max: MAX_LISTED }),
        PAGE_LIMIT_DEFAULT,
      )
      .option("--offset <n>", "number to skip", wholeNumber({ min: 0, max: MAX_OFFSET }), 0),
  examples: [
    ["notifications list", "show the inbox"],
    [
      "notifications list --unread --priority CRITICAL --json",
      "print urgent notifications for scripts",
    ],
  ],
  async run({ flags }, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const notifications: Notification[] = [];
    let total = 0;
    while (notifications.length < flags.limit) {
      const page = await client.call(listNotifications, {
        query: {
          category: flags.category,
          priority: flags.priority,
          archived: flags.archived === true ? "true" : "false",
          unreadOnly: flags.unread === true ? "true" : "false",
          limit: Math.min(flags.limit - notifications.length, PAGE_LIMIT_MAX),
          offset: flags.offset + notifications.length,
        },
      });
      notifications.push(...page.items);
      total = page.total;
      if (page.items.length < page.limit) break;
    }
    if (notifications.length === 0) ctx.ui.note("No notifications");
    else if (flags.offset + notifications.length < total) {
      ctx.ui.note(`${total} in total: raise --limit or --offset to see more`);
    }
    ctx.ui.result(
      { notifications, total },
      notifications.length === 0 ? "" : formatNotifications(ctx.ui, notifications, ctx.now()),
    );
  },
});
