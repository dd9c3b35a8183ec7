import { listNodes } from "../../contract/nodes.ts";
import { defineCommand } from "../command/command.ts";
import { printable } from "../terminal/format.ts";

const HEADINGS = ["NODE", "VERSION", "ADDRESS", "SINCE", "BEHIND", "LEADS"] as const;

export default defineCommand({
  description:
    "A node that is no longer heard from leaves the list after 15 seconds, and another takes " +
    "over what it led; it is named below the list for a day. Only the owner of the platform can " +
    "list them.",
  define: (command) => command,
  examples: [["nodes", "show the nodes that share the platform's store, and which leads what"]],
  async run(_, ctx) {
    const client = ctx.client({ phase: "auth" });
    const { items: nodes, lost } = await client.call(listNodes, {});
    const rows = nodes.map(({ id, version, addresses, url, since, lagMs, roles }) => [
      printable(id),
      printable(version),
      printable(url ?? addresses.join(" ")),
      since,
      `${lagMs} ms`,
      roles.map(printable).join(" ") || "nothing",
    ]);
    const gone = lost.map((id) =>
      `${printable(id)} has not been heard of for 15 seconds: it was stopped, or is cut off`
    );
    ctx.ui.result({ nodes, lost }, [ctx.ui.table(HEADINGS, rows), ...gone].join("\n"));
  },
});
