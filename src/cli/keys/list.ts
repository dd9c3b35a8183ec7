import { defineCommand } from "../command/command.ts";
import { KEY_HEADINGS, keyRow, listKeys } from "./show_keys.ts";

export default defineCommand({
  description:
    "The keys themselves are shown only when they are created. Only workspace owners can list them.",
  define: (command) => command,
  examples: [["keys list", "show the workspace's API keys"]],
  async run(_, ctx) {
    const keys = await listKeys(ctx.client({ phase: "workspace" }));
    if (keys.length === 0) ctx.ui.note("No API keys yet: `svc keys create <name>` creates one");
    const rows = keys.map((key) => keyRow(key, ctx.now()));
    ctx.ui.result({ keys }, ctx.ui.table(KEY_HEADINGS, rows));
  },
});
