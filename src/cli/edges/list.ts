import { listEdges } from "../../contract/edges.ts";
import { defineCommand } from "../command/command.ts";
import { printable } from "../terminal/format.ts";

const HEADINGS = [
  "EDGE",
  "STATE",
  "BEHIND",
  "DISTANCE",
  "SINCE",
  "SEEN",
  "ADDRESS",
  "COUNTRY",
  "VERSION",
] as const;

export default defineCommand({
  description:
    "A connected edge follows the platform. BEHIND counts the changes that it has not applied yet, and DISTANCE is the round-trip time to the platform. A lost edge serves the last state it received, and catches up when it connects again. Edges named local-1, local-2 and so on share the platform's port (svc serve --edges). Only the platform's owner can list front edges.",
  define: (command) => command,
  examples: [["edges list", "show the front edges and their state"]],
  async run(_, ctx) {
    const client = ctx.client({ phase: "auth" });
    const { items: edges } = await client.call(listEdges, {});
    const rows = edges.map((
      { name, state, isDrained, behind, roundTripMs, since, seenAt, address, country, version },
    ) => [
      printable(name),
      isDrained ? `${state}, drained` : state,
      behind === null ? "-" : String(behind),
      roundTripMs === null ? "-" : `${roundTripMs} ms`,
      since ?? "-",
      seenAt ?? "-",
      printable(address ?? "-"),
      printable(country ?? "-"),
      printable(version ?? "-"),
    ]);
    if (edges.length === 0) ctx.ui.note("There are no front edges. Add one with svc edges add");
    ctx.ui.result({ edges }, edges.length === 0 ? "" : ctx.ui.table(HEADINGS, rows));
  },
});
