import { defineCommand } from "../command/command.ts";

export default defineCommand({
  description:
    "Serves the Model Context Protocol on stdin and stdout. Configure your agent with the command `svc` and the argument `mcp`. Tools use the same login, key and workspace as commands in this folder.",
  define: (command) =>
    command
      .option("--read-only", "offer only read-only tools")
      .option("--project <name>", "offer only tools for this project"),
  examples: [
    ["mcp", "serve the tools for this folder's project"],
    ["mcp --read-only --project blog", "give an agent read access to one project"],
  ],
  async run({ flags }, ctx) {
    const { serveStdio } = await import("./serve_stdio.ts");
    await serveStdio(ctx, { readOnly: flags.readOnly === true, project: flags.project });
  },
});
