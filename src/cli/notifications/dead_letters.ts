import { collectPages } from "../../client/collect_pages.ts";
import {
  type DeadLetter,
  listDeadLetters,
  listWorkspaceDeadLetters,
} from "../../contract/deliveries.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { defineCommand } from "../command/command.ts";
import { wholeNumber } from "../command/option_values.ts";
import { printable } from "../terminal/format.ts";

const MAX_LISTED = 10_000;

const toRow = ({ id, channel, title, notifications, reason, givenUpAt }: DeadLetter) => [
  givenUpAt,
  channel,
  notifications === 1 ? printable(title) : `${printable(title)} and ${notifications - 1} more`,
  printable(reason),
  id,
];

export default defineCommand({
  description: "Shows the reason for each message. Dead letters are kept for 30 days.",
  define: (command) =>
    command
      .option("--workspace-wide", "include messages to all members and webhooks (owners only)")
      .option(
        "--limit <n>",
        "maximum number",
        wholeNumber({ min: 1, max: MAX_LISTED }),
        PAGE_LIMIT_DEFAULT,
      ),
  examples: [["notifications dead-letters", "show what did not reach you"]],
  async run({ flags }, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const endpoint = flags.workspaceWide === true ? listWorkspaceDeadLetters : listDeadLetters;
    const { items: deadLetters, nextCursor } = await collectPages(
      (query) => client.call(endpoint, { query }),
      { limit: flags.limit, pageSize: PAGE_LIMIT_MAX },
    );
    if (deadLetters.length === 0) ctx.ui.note("No undelivered messages");
    if (nextCursor !== null) {
      ctx.ui.note(`There are more messages. Raise --limit above ${flags.limit}`);
    }
    const headings = ["GIVEN UP", "CHANNEL", "MESSAGE", "REASON", "ID"];
    ctx.ui.result({ deadLetters, nextCursor }, ctx.ui.table(headings, deadLetters.map(toRow)));
  },
});
