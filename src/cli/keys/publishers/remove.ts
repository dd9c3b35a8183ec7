import { deletePublisher } from "../../../contract/publishers.ts";
import { confirm } from "../../command/confirm.ts";
import { defineCommand } from "../../command/command.ts";
import { printable } from "../../terminal/format.ts";
import { findPublisher } from "./show_publishers.ts";

export default defineCommand({
  description:
    "The publisher's workflows get no more keys. Existing keys stop working immediately.",
  define: (command) =>
    command
      .argument("<publisher>", "ID of the publisher, or its repository")
      .option("--force", "skip the confirmation"),
  examples: [["keys publishers remove acme/shop --force", "remove it without confirmation"]],
  async run({ args: [reference], flags }, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const publisher = await findPublisher(client, reference);
    const repository = printable(publisher.repository);
    await confirm(ctx, {
      force: flags.force,
      question: `Remove trusted publisher ${repository}? Its workflows will lose access`,
      wanted: `Confirm the removal of trusted publisher ${repository}`,
      declined: "Nothing removed",
      next: ctx.lines.of("keys", "publishers", "remove", publisher.id, "--force"),
    });
    await client.call(deletePublisher, { params: { publisher: publisher.id } });
    ctx.ui.done("workspace", `Removed trusted publisher ${repository}`);
    ctx.ui.result({ removed: true, publisher }, "");
  },
});
