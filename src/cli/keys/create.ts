import { Option } from "@commander-js/extra-typings";
import { createApiKey } from "../../contract/api_keys.ts";
import { ROLES } from "../../contract/identity.ts";
import { defineCommand } from "../command/command.ts";
import { definedOnly } from "../command/defined_only.ts";
import { repeated } from "../command/option_values.ts";
import { printable } from "../terminal/format.ts";
import { expiresAt, expiry, permissionsOf, projectIds } from "./key_limits.ts";

export default defineCommand({
  description:
    "Prints the key once. Without --permission it may do all that its role allows; permissions " +
    "are read, deploy-previews, deploy-production, rules, variables and everything. Without " +
    "--project it reaches all projects of the workspace, without --expires it never expires.",
  define: (command) =>
    command
      .argument("<name>", "what the key is for, such as ci")
      .option("--permission <name>", "what it may do; repeatable", repeated)
      .option("--project <name>", "project that it is limited to; repeatable", repeated)
      .option("--expires <time>", "when it ends, such as 30d or 12h", expiry)
      .addOption(new Option("--role <role>", "the most that it may do").choices(ROLES))
      .option("--description <text>", "more about it"),
  examples: [
    ["keys create ci --permission deploy-previews --project shop --expires 30d", "for CI"],
    ["keys create watcher --permission read", "for a program that only looks"],
  ],
  async run({ args: [name], flags }, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const { permission, project, expires, role, description } = flags;
    const permissions = permission && permissionsOf(permission);
    const projects = project && await projectIds(client, project);
    const { key, ...apiKey } = await client.call(createApiKey, {
      body: {
        name,
        ...definedOnly({ role, description, permissions, projects }),
        ...(expires === undefined ? {} : { expiresAt: expiresAt(expires, ctx.now()) }),
      },
    });
    ctx.ui.done("workspace", `Created API key ${printable(apiKey.name)}`);
    ctx.ui.note("The key is shown only this once: keep it where CI or the agent finds SVC_TOKEN");
    ctx.ui.result({ apiKey, key }, key);
  },
});
