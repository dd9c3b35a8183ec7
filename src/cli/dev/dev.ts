import { Option } from "@commander-js/extra-typings";
import { DEVICES } from "../../rules/mod.ts";
import { defineCommand } from "../command/command.ts";
import { wholeNumber } from "../command/option_values.ts";
import { DEFAULT_PORT } from "../foreground/open_on_port.ts";
import { openProjectFolder } from "../projects/project_folder.ts";
import { autonomousSystem, countryCode, ipAddress } from "../rules/client_values.ts";

export default defineCommand({
  description:
    "Starts the project's dev server behind a local edge. svc.rules.toml and functions/ work as on the platform, and changes take effect when you save. A project without a dev command is served as static files with live reload. The project's code gets a key-value store (SVC_KV_URL, SVC_KV_TOKEN), the queues from svc.toml (SVC_QUEUE_URL, SVC_QUEUE_TOKEN) and a mail server that catches all mail (SMTP_URL). /__svc shows keys, mails and recent requests. If the project is linked and you are logged in, the project's code gets the variables of the chosen environment. If the port is taken, the next free one is used; with --json that is an error. In a terminal, press r to restart, o to open the site, e to explain the last request, c to clear, q to quit.",
  define: (command) =>
    command
      .argument("[dir]", "project directory (default: the nearest one with a svc.toml)")
      .option("--alias <name>", "run this command from dev.aliases in svc.toml")
      .option("--command <command>", "run this command instead of the project's")
      .option(
        "-p, --port <port>",
        `port to listen on; 0 for any free port (default: ${DEFAULT_PORT})`,
        wholeNumber({ min: 0, max: 65535 }),
      )
      .option(
        "--inspect",
        "open inspectors: port 9229 for the dev server, the next port for functions",
      )
      .option("--inspect-brk", "like --inspect, but wait for a debugger before the first line")
      .option("--db-branch <name>", "branch of the database (default: db.branch in svc.toml)")
      .option("--environment <name-or-id>", "environment whose variables the project's code gets")
      .option("--country <code>", "simulate visitors from this country", countryCode)
      .option("--asn <number>", "simulate visitors from this autonomous system", autonomousSystem)
      .addOption(
        new Option("--device <kind>", "simulate visitors with this device").choices(DEVICES),
      )
      .option("--ip <address>", "simulate visitors with this IP address", ipAddress)
      .option("--allow-private-upstreams", "let rewrites and functions reach private addresses"),
  examples: [
    ["dev", "work on this project at http://localhost:4321"],
    ["dev --alias storybook --port 6006", "run another command from svc.toml"],
    ["dev --country DE --device mobile", "simulate a visitor"],
  ],
  async run({ args: [dir], flags }, ctx) {
    // Imported on demand, because help and completion do not need the server code.
    const { runDev } = await import("./run_dev.ts");
    await runDev(ctx, await openProjectFolder(ctx, dir), {
      ...flags,
      standing: dir === undefined ? ctx.cwd : undefined,
    });
  },
});
