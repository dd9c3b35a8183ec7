import { readAllNotifications, readNotification } from "../../contract/notifications.ts";
import { defineCommand } from "../command/command.ts";
import { formatCount } from "../terminal/format.ts";
import { checkWhich, notificationIds } from "./notification_ids.ts";

export default defineCommand({
  define: (command) =>
    command
      .argument("[id...]", "notifications to mark as read", notificationIds)
      .option("--all", "all notifications in the inbox"),
  examples: [
    ["notifications read --all", "mark all notifications in the inbox as read"],
  ],
  async run({ args: [given], flags }, ctx) {
    const ids = given ?? [];
    checkWhich(ids, flags.all === true, "--all");
    const client = ctx.client({ phase: "workspace" });
    let read = ids.length;
    if (flags.all === true) {
      ({ read } = await client.call(readAllNotifications, { idempotent: true }));
    }
    for (const notification of ids) {
      const params = { notification };
      await client.call(readNotification, { params, idempotent: true });
    }
    ctx.ui.done("workspace", `Marked ${formatCount(read, "notification")} as read`);
    ctx.ui.result({ read }, "");
  },
});
