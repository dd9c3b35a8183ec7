import { deleteArchivedNotifications, deleteNotification } from "../../contract/notifications.ts";
import { defineCommand } from "../command/command.ts";
import { formatCount } from "../terminal/format.ts";
import { checkWhich, notificationIds } from "./notification_ids.ts";

export default defineCommand({
  define: (command) =>
    command
      .argument("[id...]", "notifications to delete", notificationIds)
      .option("--all-archived", "all archived notifications"),
  examples: [
    ["notifications delete --all-archived", "delete all archived notifications"],
  ],
  async run({ args: [given], flags }, ctx) {
    const ids = given ?? [];
    checkWhich(ids, flags.allArchived === true, "--all-archived");
    const client = ctx.client({ phase: "workspace" });
    let deleted = ids.length;
    if (flags.allArchived === true) {
      ({ deleted } = await client.call(deleteArchivedNotifications, {}));
    }
    for (const notification of ids) {
      await client.call(deleteNotification, { params: { notification } });
    }
    ctx.ui.done("workspace", `Deleted ${formatCount(deleted, "notification")}`);
    ctx.ui.result({ deleted }, "");
  },
});
