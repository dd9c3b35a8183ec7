import { ApiError, UnreachableError } from "../../client/errors.ts";
import { followEvents } from "../../client/events.ts";
import { streamNotifications } from "../../contract/notifications.ts";
import { defineCommand } from "../command/command.ts";
import { formatArrival } from "./show_notifications.ts";

/** Time to wait before a lost stream is reopened, in milliseconds. */
const AGAIN_MS = 2000;

/**
 * Returns true if it makes sense to reopen a lost stream: for example, the platform may just have
 * restarted.
 */
function isBreak(error: unknown): boolean {
  return error instanceof UnreachableError || (error instanceof ApiError && error.status >= 500);
}

export default defineCommand({
  description:
    "Runs until you stop it, and resumes after a lost connection. With --json, prints one JSON object per line: new, read, archived and deleted notifications, and changed counts.",
  define: (command) => command,
  examples: [
    ["notifications watch", "show notifications as they arrive"],
    ["notifications watch --json", "follow the inbox as JSON lines"],
  ],
  async run(_, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const { signal } = ctx;
    let lastEventId: string | undefined;
    let isOpen = false;
    let isBroken = false;
    while (!signal.aborted) {
      try {
        const messages = followEvents(client, streamNotifications, {
          params: {},
          signal,
          lastEventId,
        });
        for await (const message of messages) {
          isOpen = true;
          isBroken = false;
          if (message.type === "notification") {
            lastEventId = message.id;
            ctx.ui.item(message, formatArrival(message, ctx.ui.dataColors));
          } else if (ctx.ui.json) ctx.ui.item(message, "");
          else if (message.type === "reset") {
            ctx.ui.note(
              "Some notifications were skipped. See all with svc notifications list",
            );
          }
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!isOpen || !isBreak(error)) throw error;
        if (!isBroken) ctx.ui.log("workspace", "warn", "Connection lost. Reconnecting");
        isBroken = true;
        await ctx.sleep(AGAIN_MS);
      }
    }
  },
});
