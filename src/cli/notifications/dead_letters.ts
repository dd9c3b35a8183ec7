import { collectPages } from "../../client/mod.ts";
import {
  type DeadLetter,
  endpoints,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
} from "../../contract/mod.ts";
import { defineCommand, wholeNumber } from "../command/mod.ts";
import { printable } from "../terminal/mod.ts";

const MAX_LISTED = 10_000;

const toRow = ({ id, channel, title, notifications, reason, givenUpAt }: DeadLetter) => [
  givenUpAt,
  channel,
  notifications === 1 ? printable(title) : `${printable(title)} and ${notifications - 1} more`,
  printable(reason),
  id,
];

export default defineCommand({
  description:
    "Lists messages that could not be delivered, with the reason. They are kept for 30 " +
    "days.",
  define: (command) =>
    command
      .option("--workspace-wide", "of all members and webhooks, for owners")
      .option(
        "--limit <n>",
        "how many",
        wholeNumber({ min: 1, max: MAX_LISTED }),
        PAGE_LIMIT_DEFAULT,
      ),
  examples: [["notifications dead-letters", "show what did not reach you"]],
  async run({ flags }, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const endpoint = flags.workspaceWide === true
      ? endpoints.listWorkspaceDeadLetters
      : endpoints.listDeadLetters;
    const { items: deadLetters } = await collectPages(
      (query) => client.call(endpoint, { query }),
      { limit: flags.limit, pageSize: PAGE_LIMIT_MAX },
    );
    if (deadLetters.length === 0) ctx.ui.note("Everything was delivered");
    const headings = ["GIVEN UP", "CHANNEL", "MESSAGE", "REASON", "ID"];
    ctx.ui.result(
      { deadLetters },
      deadLetters.length === 0 ? "" : ctx.ui.table(headings, deadLetters.map(toRow)),
    );
  },
});
