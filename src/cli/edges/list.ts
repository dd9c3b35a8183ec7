import { listEdges } from "../../contract/edges.ts";
import { defineCommand } from "../command/command.ts";
import { printable } from "../terminal/format.ts";

const HEADINGS = ["EDGE", "STATE", "SINCE", "ADDRESS", "VERSION"] as const;

export default defineCommand({
  description:
    "A connected edge has applied every change. A lost edge keeps serving the last state it " +
    "received, and catches up when it reconnects. Only the owner of the platform can list " +
    "front edges.",
  define: (command) => command,
  examples: [["edges list", "show the front edges and their state"]],
  async run(_, ctx) {
    const client = ctx.client({ phase: "auth" });
    const { items: edges } = await client.call(listEdges, {});
    const rows = edges.map(({ name, state, since, address, version }) => [
      printable(name),
      state,
      since ?? "-",
      printable(address ?? "-"),
      printable(version ?? "-"),
    ]);
    if (edges.length === 0) ctx.ui.note("There are no front edges. Add one with svc edges add");
    ctx.ui.result({ edges }, edges.length === 0 ? "" : ctx.ui.table(HEADINGS, rows));
  },
});
