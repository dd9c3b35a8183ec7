import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { printable } from "../terminal/format.ts";
import { checkKey, LOCAL_NOTE, withLocalKv } from "./local_kv.ts";

export default defineCommand({
  description: `Succeeds even if the key does not exist. ${LOCAL_NOTE}`,
  define: (command) => command.argument("<key>", "key"),
  examples: [["kv remove boats/kestrel", "remove a key"]],
  async run({ args: [key] }, ctx) {
    checkKey(key);
    const removed = await withLocalKv(ctx, async ({ store, namespace }) => {
      const there = await store.get(namespace, key) !== undefined;
      if (await store.remove(namespace, key)) return there;
      const message = `Cannot remove ${printable(key)}: it keeps changing. Try again`;
      throw new CliError("conflict", message);
    });
    ctx.ui.done("env", removed ? `Removed ${printable(key)}` : `No key ${printable(key)}`);
    ctx.ui.result({ key, removed }, "");
  },
});
