import { copyBlob } from "../../contract/blob_store.ts";
import { defineCommand } from "../command/command.ts";
import { printable } from "../terminal/format.ts";
import { ENVIRONMENT_OPTION, openStore } from "./open_store.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description: "The copy shares the content, so it is instant.",
  define: (command) =>
    command
      .argument("<key>", "key of the object")
      .argument("<new-key>", "key of the copy")
      .option("--to <environment>", "environment of the copy (default: the same)")
      .option(...ENVIRONMENT_OPTION)
      .option(...PROJECT_OPTION),
  examples: [["blobs cp logo.svg logo.svg --to preview", "copy to another environment"]],
  async run({ args: [key, to], flags }, ctx) {
    const { client, environment, params } = await openStore(ctx, flags);
    const object = await client.call(copyBlob, {
      params,
      body: { environment, key, to, toEnvironment: flags.to },
    });
    ctx.ui.done("env", `Copied ${printable(key)} to ${printable(to)}`);
    ctx.ui.result({ object }, "");
  },
});
