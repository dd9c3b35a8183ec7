import { defineCommand } from "../command/command.ts";
import { wholeNumber } from "../command/option_values.ts";
import { DEFAULT_PORT } from "../foreground/open_on_port.ts";
import { openProjectFolder } from "../projects/project_folder.ts";

export default defineCommand({
  description:
    "Deploys the output of svc build to a temporary local platform with the same edge, rules, functions, servers and cache as svc serve. If the project is linked and you are logged in, the project's code gets the variables of the chosen environment. If the port is taken, the next free one is used; with --json that is an error. Runs until it gets SIGINT or SIGTERM, or until the terminal closes.",
  define: (command) =>
    command
      .argument("[dir]", "project directory (default: the nearest one with a svc.toml)")
      .option("--build", "build first")
      .option(
        "-p, --port <port>",
        `port to listen on; 0 for any free port (default: ${DEFAULT_PORT})`,
        wholeNumber({ min: 0, max: 65535 }),
      )
      .option("--environment <name-or-id>", "environment whose variables the project's code gets")
      .option("--allow-unsandboxed-servers", "run servers even if the system has no sandbox"),
  examples: [
    ["preview", "serve the output of the last build on http://localhost:4321"],
    ["preview --build --port 8000", "build, and serve on another port"],
  ],
  async run({ args: [dir], flags }, ctx) {
    // Imported on demand, because help and completion do not need the server code.
    const { runPreview } = await import("./run_preview.ts");
    await runPreview(ctx, await openProjectFolder(ctx, dir), {
      ...flags,
      port: flags.port ?? DEFAULT_PORT,
      mayMove: !ctx.ui.json,
      standing: dir === undefined ? ctx.cwd : undefined,
    });
  },
});
