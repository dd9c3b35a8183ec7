import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { formatCount } from "../terminal/format.ts";
import { LOCAL_NOTE, withLocalKv } from "./local_kv.ts";

export default defineCommand({
  description: LOCAL_NOTE,
  define: (command) => command.option("--force", "skip the confirmation"),
  examples: [["kv clear --force", "clear the local store"]],
  async run({ flags }, ctx) {
    await confirm(ctx, {
      force: flags.force,
      question: "Remove all keys of this project's local store?",
      wanted: "Confirm the removal of all keys of this project's local store",
      declined: "Nothing removed",
    });
    const removed = await withLocalKv(ctx, ({ store, namespace }) => store.clear(namespace));
    ctx.ui.done("env", `Removed ${formatCount(removed, "key")}`);
    ctx.ui.result({ removed }, "");
  },
});
