import { Option } from "@commander-js/extra-typings";
import { createApiKey } from "../../contract/api_keys.ts";
import { ROLES } from "../../contract/identity.ts";
import { defineCommand } from "../command/command.ts";
import { repeated } from "../command/option_values.ts";
import { printable } from "../terminal/format.ts";
import { expiresAt, expiry, permissionsOf, projectIds } from "./key_limits.ts";

export default defineCommand({
  description:
    "Prints the key once. By default, the key has all permissions of its role, for all projects of the workspace, and never expires. Permissions are read, deploy-previews, deploy-production, rules, variables and everything.",
  define: (command) =>
    command
      .argument("<name>", "name of the key, such as ci")
      .option("--permission <name>", "permission of the key; repeatable", repeated)
      .option("--project <name>", "project that the key can access; repeatable", repeated)
      .option("--expires <time>", "lifetime, such as 30d or 12h", expiry)
      .addOption(
        new Option("--role <role>", "role, the upper limit of its permissions").choices(ROLES),
      )
      .option("--description <text>", "description of the key"),
  examples: [
    ["keys create ci --permission deploy-previews --project shop --expires 30d", "for CI"],
    ["keys create watcher --permission read", "for read-only access"],
  ],
  async run({ args: [name], flags }, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const { permission, project, expires, role, description } = flags;
    const permissions = permission && permissionsOf(permission);
    const projects = project && await projectIds(client, project);
    const { key, ...apiKey } = await client.call(createApiKey, {
      body: {
        name,
        role,
        description,
        permissions,
        projects,
        expiresAt: expires === undefined ? undefined : expiresAt(expires, ctx.now()),
      },
    });
    ctx.ui.done("workspace", `Created API key ${printable(apiKey.name)}`);
    ctx.ui.note(
      "Copy the key now. You won't see it again. Store it as SVC_TOKEN for CI or your agent",
    );
    ctx.ui.result({ apiKey, key }, key);
  },
});
