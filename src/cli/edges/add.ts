import { addEdge } from "../../contract/edges.ts";
import { defineCommand } from "../command/command.ts";
import { printable } from "../terminal/format.ts";

export default defineCommand({
  description:
    "Prints the key once. Start the edge on another machine with svc edge --join and the key in SVC_EDGE_KEY. Only the platform's owner can add front edges.",
  define: (command) => command.argument("<name>", "name of the edge, such as tokyo"),
  examples: [["edges add tokyo", "add an edge and print its key"]],
  async run({ args: [name] }, ctx) {
    const client = ctx.client({ phase: "auth" });
    const { key, ...edge } = await client.call(addEdge, { body: { name } });
    ctx.ui.done("auth", `Added front edge ${printable(edge.name)}`);
    ctx.ui.note(
      `Copy the key now. You won't see it again: SVC_EDGE_KEY=<key> svc edge --join ${client.baseUrl}`,
    );
    ctx.ui.result({ edge, key }, key);
  },
});
