import { listNodes } from "../../contract/nodes.ts";
import { defineCommand } from "../command/command.ts";
import { printable } from "../terminal/format.ts";

const HEADINGS = ["NODE", "VERSION", "ADDRESS", "SINCE", "BEHIND", "LEADS"] as const;

export default defineCommand({
  description:
    "A node that stops responding leaves the list after 15 seconds and is shown below it for a day. Another node takes over its tasks. Only the platform's owner can list nodes.",
  define: (command) => command,
  examples: [["nodes", "show the nodes of the platform and their tasks"]],
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
      `${printable(id)} has not responded for 15 seconds: it is stopped or disconnected`
    );
    ctx.ui.result({ nodes, lost }, [ctx.ui.table(HEADINGS, rows), ...gone].join("\n"));
  },
});
