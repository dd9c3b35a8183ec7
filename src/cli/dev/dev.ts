import { Option } from "@commander-js/extra-typings";
import { DEVICES } from "../../rules/mod.ts";
import { defineCommand } from "../command/command.ts";
import { wholeNumber } from "../command/option_values.ts";
import { DEFAULT_PORT } from "../foreground/open_on_port.ts";
import { openProjectFolder } from "../projects/project_folder.ts";
import { autonomousSystem, countryCode, ipAddress } from "../rules/client_values.ts";

export default defineCommand({
  description:
    "Starts the project's dev server and stands in front of it with the edge: svc.rules.toml " +
    "and functions/ act as they do on a platform, and changes take effect as soon as they are " +
    "saved. A project without a dev command is served as files, and its pages reload by " +
    "themselves. The code finds a key-value store (SVC_KV_URL, SVC_KV_TOKEN) and a mail server " +
    "that catches everything (SMTP_URL); /__svc shows both, and the last requests. Where the project is " +
    "linked and you are logged in, it gets the variables of the chosen environment. If the " +
    "port is taken, the next free one is used; with --json that is an error. On a terminal, " +
    "r restarts, o opens the site, e explains the last request, c clears, q quits.",
  define: (command) =>
    command
      .argument("[dir]", "project directory (default: the nearest one with a svc.toml)")
      .option("--alias <name>", "run this command of dev.aliases in svc.toml")
      .option("--command <command>", "run this command instead of the project's")
      .option(
        "-p, --port <port>",
        `port to listen on; 0 takes a free one (default: ${DEFAULT_PORT})`,
        wholeNumber({ min: 0, max: 65535 }),
      )
      .option(
        "--inspect",
        "open inspectors: of the dev server on port 9229, of functions on the next",
      )
      .option("--inspect-brk", "as --inspect, and wait for debuggers before the first line")
      .option("--db-branch <name>", "branch of the database (default: db.branch of svc.toml)")
      .option("--environment <name-or-id>", "environment whose variables the code gets")
      .option("--country <code>", "assume that visitors are in this country", countryCode)
      .option("--asn <number>", "assume this autonomous system of visitors", autonomousSystem)
      .addOption(new Option("--device <kind>", "assume this device of visitors").choices(DEVICES))
      .option("--ip <address>", "assume this address of visitors", ipAddress)
      .option("--allow-private-upstreams", "let rewrites and functions reach private addresses"),
  examples: [
    ["dev", "work on this project at http://localhost:4321"],
    ["dev --alias storybook --port 6006", "with another command of svc.toml"],
    ["dev --country DE --device mobile", "as a visitor would see it"],
  ],
  async run({ args: [dir], flags }, ctx) {
    // Help and completion need nothing that serves.
    const { runDev } = await import("./run_dev.ts");
    await runDev(ctx, await openProjectFolder(ctx, dir), {
      ...flags,
      standing: dir === undefined ? ctx.cwd : undefined,
    });
  },
});
