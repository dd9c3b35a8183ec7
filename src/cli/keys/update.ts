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
    "Takes effect on the next request. Flags replace the current values. The key and its role do not change. --all-projects removes the limit to certain projects.",
  define: (command) =>
    command
      .argument("<key>", "ID, name or prefix of the key")
      .option("--permission <name>", "permission of the key; repeatable", repeated)
      .option("--project <name>", "project that the key can access; repeatable", repeated)
      .option("--all-projects", "give access to all projects of the workspace")
      .option("--expires <time>", "lifetime, such as 30d, or never", expiry)
      .option("--name <name>", "name of the key")
      .option("--description <text>", "description of the key"),
  offers: { key: "api-key" },
  examples: [
    ["keys update ci --expires 30d", "extend it by a month"],
    ["keys update ci --permission read", "make it read-only"],
  ],
  async run({ args: [reference], flags }, ctx) {
    const { permission, project, allProjects, expires, name, description } = flags;
    if (project !== undefined && allProjects === true) {
      throw new CliError("usage", "Use either --project or --all-projects");
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
        "Nothing to change: use --permission, --project, --all-projects, --expires, --name or --description",
      );
    }
    const { id } = await findKey(client, reference);
    const apiKey = await client.call(updateApiKey, { params: { key: id }, body });
    ctx.ui.done("workspace", `Updated API key ${printable(apiKey.name)}`);
    ctx.ui.result({ apiKey }, "");
  },
});
