import {
  resendDeadLetter,
  resendDeadLetters,
  resendWorkspaceDeadLetter,
  resendWorkspaceDeadLetters,
} from "../../contract/deliveries.ts";
import { defineCommand } from "../command/command.ts";
import { formatCount } from "../terminal/format.ts";
import { checkWhich, notificationIds } from "./notification_ids.ts";

/** Maximum number of requests, each of which resends up to 1,000 messages. */
const MAX_REQUESTS = 100;

export default defineCommand({
  description: "Resends the dead letters with the given IDs, or all dead letters with --all.",
  define: (command) =>
    command
      .argument("[id...]", "dead letters to resend", notificationIds)
      .option("--all", "all dead letters")
      .option("--workspace-wide", "include messages to all members and webhooks (owners only)"),
  examples: [["notifications resend --all", "resend everything"]],
  async run({ args: [given], flags }, ctx) {
    const ids = given ?? [];
    checkWhich(ids, flags.all === true, "--all");
    const client = ctx.client({ phase: "workspace" });
    const wide = flags.workspaceWide === true;
    let resent = ids.length;
    if (flags.all === true) {
      const all = wide ? resendWorkspaceDeadLetters : resendDeadLetters;
      for (let request = 0; request < MAX_REQUESTS; request++) {
        const answer = await client.call(all, {});
        resent += answer.resent;
        if (!answer.hasMore) break;
      }
    }
    const one = wide ? resendWorkspaceDeadLetter : resendDeadLetter;
    for (const letter of ids) await client.call(one, { params: { letter } });
    ctx.ui.done("workspace", `Queued ${formatCount(resent, "message")}`);
    ctx.ui.result({ resent }, "");
  },
});
