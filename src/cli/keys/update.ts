import { updateApiKey } from "../../contract/api_keys.ts";
import { defineCommand } from "../command/command.ts";
import { definedOnly } from "../command/defined_only.ts";
import { repeated } from "../command/option_values.ts";
import { CliError } from "../errors/cli_error.ts";
import { printable } from "../terminal/format.ts";
import { expiresAt, expiry, permissionsOf, projectIds } from "./key_limits.ts";
import { findKey } from "./show_keys.ts";

export default defineCommand({
  description:
    "Takes effect with the next request. What is given replaces what was set; the key itself " +
    "and its role stay. --all-projects removes the limit to projects.",
  define: (command) =>
    command
      .argument("<key>", "id, name or beginning of the key")
      .option("--permission <name>", "what it may do; repeatable", repeated)
      .option("--project <name>", "project that it is limited to; repeatable", repeated)
      .option("--all-projects", "let it reach all projects of the workspace")
      .option("--expires <time>", "when it ends, such as 30d, or never", expiry)
      .option("--name <name>", "what it is called")
      .option("--description <text>", "more about it"),
  offers: { key: "api-key" },
  examples: [
    ["keys update ci --expires 30d", "let it work for another month"],
    ["keys update ci --permission read", "let it only look"],
  ],
  async run({ args: [reference], flags }, ctx) {
    const { permission, project, allProjects, expires, name, description } = flags;
    if (project !== undefined && allProjects === true) {
      throw new CliError("usage", "Give --project or --all-projects, not both");
    }
    const client = ctx.client({ phase: "workspace" });
    const permissions = permission && permissionsOf(permission);
    const projects = allProjects === true ? null : project && await projectIds(client, project);
    const body = {
      ...definedOnly({ name, description, permissions, projects }),
      ...(expires === undefined ? {} : { expiresAt: expiresAt(expires, ctx.now()) }),
    };
    if (Object.keys(body).length === 0) {
      throw new CliError(
        "usage",
        "Say what to change: --permission, --project, --all-projects, " +
          "--expires, --name or --description",
      );
    }
    const { id } = await findKey(client, reference);
    const apiKey = await client.call(updateApiKey, { params: { key: id }, body });
    ctx.ui.done("workspace", `Changed API key ${printable(apiKey.name)}`);
    ctx.ui.result({ apiKey }, "");
  },
});
