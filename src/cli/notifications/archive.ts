import { archiveAllNotifications, archiveNotification } from "../../contract/notifications.ts";
import { defineCommand } from "../command/command.ts";
import { formatCount } from "../terminal/format.ts";
import { checkWhich, notificationIds } from "./notification_ids.ts";

export default defineCommand({
  define: (command) =>
    command
      .argument("[id...]", "notifications to archive", notificationIds)
      .option("--all", "all notifications in the inbox"),
  examples: [
    ["notifications archive --all", "archive the whole inbox"],
  ],
  async run({ args: [given], flags }, ctx) {
    const ids = given ?? [];
    checkWhich(ids, flags.all === true, "--all");
    const client = ctx.client({ phase: "workspace" });
    let archived = ids.length;
    if (flags.all === true) {
      ({ archived } = await client.call(archiveAllNotifications, { idempotent: true }));
    }
    for (const notification of ids) {
      const params = { notification };
      await client.call(archiveNotification, { params, idempotent: true });
    }
    ctx.ui.done("workspace", `Archived ${formatCount(archived, "notification")}`);
    ctx.ui.result({ archived }, "");
  },
});
