import { deleteBlob } from "../../contract/blob_store.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { formatCount, printable } from "../terminal/format.ts";
import { ENVIRONMENT_OPTION, openStore } from "./open_store.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description: "Succeeds for keys that do not exist.",
  define: (command) =>
    command
      .argument("<key...>", "keys of the objects")
      .option("--force", "skip the confirmation")
      .option(...ENVIRONMENT_OPTION)
      .option(...PROJECT_OPTION),
  examples: [["blobs rm photos/kestrel.jpg --force", "delete an object without confirmation"]],
  async run({ args: [keys], flags }, ctx) {
    const { client, environment, params } = await openStore(ctx, flags);
    const what = keys.length === 1 ? printable(keys[0]!) : formatCount(keys.length, "object");
    await confirm(ctx, {
      force: flags.force,
      question: `Delete ${what} from ${environment}?`,
      wanted: `Confirm the deletion of ${what}`,
      declined: "Nothing deleted",
    });
    for (const key of keys) await client.call(deleteBlob, { params, query: { environment, key } });
    ctx.ui.done("env", `Deleted ${what} from ${environment}`);
    ctx.ui.result({ deleted: keys, environment }, "");
  },
});
