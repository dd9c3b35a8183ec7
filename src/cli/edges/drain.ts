import { drainEdge } from "../../contract/edges.ts";
import { defineCommand } from "../command/command.ts";
import { printable } from "../terminal/format.ts";

export default defineCommand({
  description:
    "The edge finishes its requests. An edge on the platform's machine exits, and the other processes take over its connections. Any other edge closes each connection after its next response. Until you undo this, that edge responds with 503 to /healthz and /readyz, so its load balancer picks another edge. Only the platform's owner can drain front edges.",
  define: (command) =>
    command
      .argument("<name>", "name of the edge")
      .option("--undo", "use the edge again"),
  examples: [
    ["edges drain tokyo", "stop using the edge tokyo"],
    ["edges drain tokyo --undo", "use the edge tokyo again"],
  ],
  async run({ args: [name], flags }, ctx) {
    const isDrained = flags.undo !== true;
    const client = ctx.client({ phase: "auth" });
    const edge = await client.call(drainEdge, { params: { edge: name }, body: { isDrained } });
    ctx.ui.done("auth", `${isDrained ? "Draining" : "Using"} front edge ${printable(edge.name)}`);
    ctx.ui.result({ edge }, "");
  },
});
