import { defineCommand } from "../../command/command.ts";
import { listPublishers, PUBLISHER_HEADINGS, publisherRow } from "./show_publishers.ts";

export default defineCommand({
  description: "Only workspace owners can list trusted publishers.",
  define: (command) => command,
  examples: [["keys publishers list", "show the trusted workflows"]],
  async run(_, ctx) {
    const publishers = await listPublishers(ctx.client({ phase: "workspace" }));
    if (publishers.length === 0) {
      ctx.ui.note("No trusted publishers yet: `svc keys publishers add` adds one");
    }
    const rows = publishers.map((publisher) => publisherRow(publisher, ctx.now()));
    ctx.ui.result({ publishers }, ctx.ui.table(PUBLISHER_HEADINGS, rows));
  },
});
