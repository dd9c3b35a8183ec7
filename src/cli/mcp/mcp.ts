import { defineCommand } from "../command/command.ts";

export default defineCommand({
  description: "Speaks the protocol over stdin and stdout until stdin ends. An agent's program " +
    "starts it: name `svc` as the command and `mcp` as its argument. Each tool acts with the login, " +
    "key and workspace that commands in the same folder would have.",
  define: (command) =>
    command
      .option("--read-only", "offer only what changes nothing")
      .option("--project <name>", "offer only what is about this project"),
  examples: [
    ["mcp", "serve the tools for the project of this folder"],
    ["mcp --read-only --project blog", "let an agent look at one project only"],
  ],
  async run({ flags }, ctx) {
    const { serveStdio } = await import("./serve_stdio.ts");
    await serveStdio(ctx, { readOnly: flags.readOnly === true, project: flags.project });
  },
});
