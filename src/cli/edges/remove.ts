import { removeEdge } from "../../contract/edges.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { printable } from "../terminal/format.ts";

export default defineCommand({
  description:
    "The key stops working immediately. The edge keeps serving the last state it received " +
    "until you stop it. Only the platform's owner can remove front edges.",
  define: (command) =>
    command
      .argument("<name>", "name of the edge")
      .option("--force", "skip the confirmation"),
  examples: [["edges remove tokyo --force", "remove it without confirmation"]],
  async run({ args: [edge], flags }, ctx) {
    const client = ctx.client({ phase: "auth" });
    const name = printable(edge);
    await confirm(ctx, {
      force: flags.force,
      question: `Remove front edge ${name}? It can no longer pass requests on to the platform`,
      wanted: `Confirm the removal of front edge ${name}`,
      declined: "Nothing removed",
      next: ctx.lines.of("edges", "remove", edge, "--force"),
    });
    await client.call(removeEdge, { params: { edge } });
    ctx.ui.done("auth", `Removed front edge ${name}`);
    ctx.ui.result({ removed: true, edge }, "");
  },
});
